import { namedGroup, type PatternNode, parsePattern } from '@carabiner/detection/patterns'

/** A possible suffix of a value. `whole`: the value is exactly this text. */
export type Ending = { text: string; whole: boolean }

const OPEN: Ending = { text: '', whole: false }
const EMPTY: Ending = { text: '', whole: true }

const MAX_ENDINGS = 64
const MAX_LETTERS = 4
const MAX_REPEATS = 8

/** The parser samples characters outside ASCII, so the suffixes of a pattern that can match them are not certain. */
const BEYOND_ASCII = /[^\x20-\x7e]|\\[uxcpPDSW]/

/** All suffixes that a value matching the pattern can have, as far as the pattern determines them. */
export const endingsOf = (source: string): Ending[] => {
  if (BEYOND_ASCII.test(source)) return [OPEN]
  const parsed = parsePattern(source)
  return typeof parsed === 'string' ? [OPEN] : endings(namedGroup(parsed) ?? parsed)
}

/** The suffixes of the concatenation of two values. */
export const joinEndings = (first: Ending[], second: Ending[]): Ending[] => {
  const joined = second.flatMap(ending =>
    ending.whole ? first.map(({ text, whole }) => ({ text: text + ending.text, whole })) : [ending],
  )
  return joined.length > MAX_ENDINGS ? [OPEN] : joined
}

const endings = (node: PatternNode): Ending[] => {
  switch (node.kind) {
    case 'set':
      return node.set.size > 0 && node.set.size <= MAX_LETTERS
        ? [...node.set].map(text => ({ text, whole: true }))
        : [OPEN]
    case 'sequence':
      return node.parts.map(endings).reduce(joinEndings, [EMPTY])
    case 'choice':
      return node.parts.flatMap(endings)
    case 'group':
      return endings(node.part)
    case 'optional':
      return [EMPTY, ...endings(node.part)]
    case 'repeat':
      return repeated(node)
  }
}

const repeated = ({ part, atLeast, atMost }: Extract<PatternNode, { kind: 'repeat' }>): Ending[] => {
  if (atMost > MAX_REPEATS) return [OPEN]
  const once = endings(part)
  const counts = Array.from({ length: atMost - atLeast + 1 }, (_, index) => atLeast + index)
  return counts.flatMap(count => Array.from({ length: count }, () => once).reduce(joinEndings, [EMPTY]))
}

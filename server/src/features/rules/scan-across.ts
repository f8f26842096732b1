import type { Rules } from './compile-rules.ts'
import type { Place, ValueMatch } from './match.ts'
import { scanText } from './scan-text.ts'

/** A text of a result, and where it stands. */
export type Piece = { text: string; path: (string | number)[] }

/** Members under which pieces of a text stand: in MCP's content blocks and in the rich text of many APIs. */
const TEXT_MEMBERS = ['text', 'plain_text', 'content']

export const textOf = (item: unknown): Piece | null => {
  if (typeof item !== 'object' || item === null) return null
  const members = item as Record<string, unknown>
  for (const member of TEXT_MEMBERS) {
    const text = members[member]
    if (typeof text === 'string') return { text, path: [member] }
  }
  // {"type": "resource", "resource": {"text": …}}
  const { resource } = members
  if (typeof resource !== 'object' || resource === null) return null
  const { text } = resource as Record<string, unknown>
  return typeof text === 'string' ? { text, path: ['resource', 'text'] } : null
}

/** No value that is looked for is longer; of a longer piece, the middle need not be read a second time. */
const REACH = 256

/** What neighbouring pieces hold only together. Whatever lies within one piece was found there. */
export const scanAcross = (all: readonly Piece[], rules: Rules): ValueMatch[] => {
  const pieces = all.filter(({ text }) => text !== '')
  const found: ValueMatch[] = []
  for (let first = 0, last = 0; first < pieces.length; first = ++last) {
    while (last + 1 < pieces.length && mayCross(textAt(pieces, last), textAt(pieces, last + 1), rules)) last++
    if (last > first) for (const match of scanChain(pieces.slice(first, last + 1), rules)) found.push(match)
  }
  return found
}

const textAt = (pieces: readonly Piece[], n: number): string => (pieces[n] as Piece).text

/** Without a digit, an `@`, the head of a key or a word in two nothing lies across, unless words alone are looked for. */
const mayCross = (left: string, right: string, { asks, custom }: Rules): boolean =>
  asks.words ||
  custom.length > 0 ||
  (GOES_ON.test(left.slice(-1)) && GOES_ON.test(right.slice(0, 1))) ||
  TELLING.test(left.slice(-REACH)) ||
  TELLING.test(right.slice(0, REACH))

const GOES_ON = /[\w+/:-]/
/** Also beyond ASCII, where digits may be written otherwise. */
const TELLING = /[0-9@]|-----B|[^\0-\x7f]/

const scanChain = (pieces: readonly Piece[], rules: Rules): ValueMatch[] => {
  let joined = ''
  /** Stretches of the joined text, in order: which piece, and how far it is shifted. */
  const stretches: { piece: Piece; from: number; to: number; shift: number }[] = []
  for (const piece of pieces) {
    const { length } = piece.text
    const cuts: [number, number][] =
      length <= REACH * 2
        ? [[0, length]]
        : [
            [0, REACH],
            [length - REACH, length],
          ]
    for (const [n, [from, to]] of cuts.entries()) {
      if (n > 0) joined += '\n\n\n\n'
      stretches.push({
        piece,
        from: joined.length,
        to: joined.length + to - from,
        shift: from - joined.length,
      })
      joined += piece.text.slice(from, to)
    }
  }
  let first = 0
  return scanText(joined, rules).flatMap(({ start, end, ...match }) => {
    while (first < stretches.length && (stretches[first]?.to as number) <= start) first++
    const places: Place[] = []
    for (let n = first; n < stretches.length && (stretches[n]?.from as number) < end; n++) {
      const { piece, from, to, shift } = stretches[n] as (typeof stretches)[number]
      const [a, b] = [Math.max(start, from) + shift, Math.min(end, to) + shift]
      if (b > a) places.push({ path: piece.path, in: 'value', start: a, end: b })
    }
    const [head, ...rest] = places
    return head && rest.length > 0 ? [{ ...match, places: [head, ...rest] }] : []
  })
}

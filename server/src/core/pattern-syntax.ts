/** The subset of regular expressions that connector files and customers may use. */
export type PatternNode =
  | { kind: 'set'; set: Set<string> }
  | { kind: 'sequence'; parts: PatternNode[] }
  | { kind: 'choice'; parts: PatternNode[] }
  | { kind: 'group'; part: PatternNode }
  | { kind: 'optional'; part: PatternNode }
  | { kind: 'repeat'; part: PatternNode; atLeast: number; atMost: number }

/** Sample characters of each class, so that overlapping sets share at least one. */
const LETTERS = [
  ...Array.from({ length: 128 }, (_, code) => String.fromCharCode(code)),
  ...Array.from('\u0085\u00a0ßéñ\u0131\u017f\u2028Жא中\u212a😀'),
]

/**
 * All characters that a matching value may contain. If the pattern has a group named `value`, only those of the
 * group.
 */
export const lettersOf = (source: string): Set<string> | null => {
  const parsed = parsePattern(source)
  if (typeof parsed === 'string') return null
  return new Set(setsOf(namedGroup(parsed) ?? parsed).flatMap(set => [...set]))
}

export const namedGroup = (node: PatternNode): PatternNode | null => {
  if (node.kind === 'set') return null
  if (node.kind === 'group') return node.part
  if ('part' in node) return namedGroup(node.part)
  return node.parts.map(namedGroup).find(found => found !== null) ?? null
}

const setsOf = (node: PatternNode): Set<string>[] => {
  if (node.kind === 'set') return [node.set]
  return 'parts' in node ? node.parts.flatMap(setsOf) : setsOf(node.part)
}

const ATOM = /\[(?:\\.|[^\]\\])*\]|\\[pPuxc](?:\{[^}]*\}|[0-9A-Fa-f]{2,4}|[A-Za-z])|\\.|[^\\()[\]{}|*+?]/uy
const QUANTIFIER = /(?:[*+?]|\{(\d+)(,(\d*))?\})\??/y

const isPattern = (source: string, flags: string): boolean => {
  try {
    return new RegExp(source, flags) instanceof RegExp
  } catch {
    return false
  }
}

/** Zero-width parts, such as anchors, are left out. */
export const parsePattern = (source: string, flags = 'u'): PatternNode | 'invalid' | 'unsupported' => {
  if (!isPattern(source, flags)) return 'invalid'
  if (/\(\?(?:[=!]|<[=!])|\\[1-9k]/.test(source)) return 'unsupported'
  let at = 0
  const readChoice = (): PatternNode => {
    const parts = [readSequence()]
    while (source[at] === '|') {
      at++
      parts.push(readSequence())
    }
    return parts.length === 1 ? (parts[0] as PatternNode) : { kind: 'choice', parts }
  }
  const readSequence = (): PatternNode => {
    const parts: PatternNode[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') {
      const atom = readAtom()
      if (atom) parts.push(readRepeat(atom))
    }
    return { kind: 'sequence', parts }
  }
  const readAtom = (): PatternNode | null => {
    if (source[at] === '(') return readGroup()
    ATOM.lastIndex = at
    const atom = ATOM.exec(source)?.[0] ?? source[at] ?? ''
    at += atom.length
    // Anchors match no character.
    if (/^(?:\^|\$|\\b|\\B)$/.test(atom)) return null
    const test = new RegExp(`^${atom}$`, flags)
    return { kind: 'set', set: new Set(LETTERS.filter(letter => test.test(letter))) }
  }
  const readGroup = (): PatternNode => {
    const [opening = '('] = /^\((?:\?:|\?<[A-Za-z_]\w*>)?/.exec(source.slice(at)) ?? []
    at += opening.length
    const part = readChoice()
    at++
    return opening === '(?<value>' ? { kind: 'group', part } : part
  }
  const readRepeat = (part: PatternNode): PatternNode => {
    QUANTIFIER.lastIndex = at
    const found = QUANTIFIER.exec(source)
    if (!found) return part
    at += found[0].length
    const [sign = '', least, range, most] = found
    if (least !== undefined)
      return {
        kind: 'repeat',
        part,
        atLeast: Number(least),
        atMost: range === undefined ? Number(least) : most ? Number(most) : Number.POSITIVE_INFINITY,
      }
    return {
      kind: 'repeat',
      part,
      atLeast: sign[0] === '+' ? 1 : 0,
      atMost: sign[0] === '?' ? 1 : Number.POSITIVE_INFINITY,
    }
  }
  return readChoice()
}

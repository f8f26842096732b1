/** Regular expressions in the syntax of RE2: no lookaround and no back-references. */
export type PatternNode =
  | { kind: 'character'; test: CharacterTest }
  | { kind: 'position'; position: Position }
  | { kind: 'sequence'; parts: PatternNode[] }
  | { kind: 'choice'; parts: PatternNode[] }
  | { kind: 'repeat'; part: PatternNode; atLeast: number; atMost: number }

export type CharacterTest = (codePoint: number) => boolean
export type Position = 'text start' | 'text end' | 'line start' | 'line end' | 'word edge' | 'inside'

export class PatternError extends Error {}

const MAX_PATTERN_LENGTH = 500
/** As in RE2. */
const MAX_REPEAT = 1000

const inRanges = (...ranges: [from: string, to: string][]): CharacterTest => {
  const codes = ranges.map(([from, to]) => [codeOf(from), codeOf(to)] as const)
  return code => codes.some(([from, to]) => code >= from && code <= to)
}
const codeOf = (character: string): number => character.codePointAt(0) as number
const not =
  (test: CharacterTest): CharacterTest =>
  code =>
    !test(code)

const DIGIT = inRanges(['0', '9'])
const SPACE: CharacterTest = code => code === 32 || code === 9 || code === 10 || code === 12 || code === 13
export const WORD = inRanges(['a', 'z'], ['A', 'Z'], ['0', '9'], ['_', '_'])

/** The classes are those of ASCII. */
const CLASSES: Record<string, CharacterTest> = { d: DIGIT, s: SPACE, w: WORD }
const NAMED: Record<string, CharacterTest> = {
  alnum: inRanges(['a', 'z'], ['A', 'Z'], ['0', '9']),
  alpha: inRanges(['a', 'z'], ['A', 'Z']),
  digit: DIGIT,
  lower: inRanges(['a', 'z']),
  punct: inRanges(['!', '/'], [':', '@'], ['[', '`'], ['{', '~']),
  space: code => SPACE(code) || code === 11,
  upper: inRanges(['A', 'Z']),
  word: WORD,
  xdigit: inRanges(['0', '9'], ['a', 'f'], ['A', 'F']),
}
const CONTROLS: Record<string, number> = { a: 7, f: 12, n: 10, r: 13, t: 9, v: 11 }
const POSITIONS: Record<string, Position> = { A: 'text start', z: 'text end', b: 'word edge', B: 'inside' }

type Flags = { ignoreCase: boolean; dotAll: boolean; multiline: boolean }

/** Throws `PatternError`. */
export const parsePattern = (source: string): PatternNode => {
  if (source.length > MAX_PATTERN_LENGTH)
    throw new PatternError(`has more than ${MAX_PATTERN_LENGTH} characters`)
  let at = 0
  const rest = (): string => source.slice(at)
  const take = (expected: RegExp): RegExpExecArray | null => {
    const found = expected.exec(rest())
    if (found) at += found[0].length
    return found
  }

  const readChoice = (flags: Flags): PatternNode => {
    // Flags set in an alternative hold until the end of the group.
    const own = { ...flags }
    const parts = [readSequence(own)]
    while (take(/^\|/)) parts.push(readSequence(own))
    return parts.length === 1 ? (parts[0] as PatternNode) : { kind: 'choice', parts }
  }

  const readSequence = (flags: Flags): PatternNode => {
    const parts: PatternNode[] = []
    while (at < source.length && source[at] !== '|' && source[at] !== ')') {
      if (readFlags(flags)) continue
      parts.push(readRepeat(readAtom(flags)))
    }
    return { kind: 'sequence', parts }
  }

  const readFlags = (flags: Flags): boolean => {
    const found = take(/^\(\?([ims]*)(?:-([ims]+))?\)/)
    if (!found) return false
    setFlags(flags, found[1] ?? '', found[2] ?? '')
    return true
  }

  const readAtom = (flags: Flags): PatternNode => {
    const opening = take(/^\((?:\?P?<\w+>|\?([ims]*)(?:-([ims]+))?:)?/)
    if (opening) {
      if (source[at] === '?')
        throw new PatternError('contains a group that RE2 does not support, such as lookaround')
      const own = { ...flags }
      setFlags(own, opening[1] ?? '', opening[2] ?? '')
      const part = readChoice(own)
      if (!take(/^\)/)) throw new PatternError('lacks a closing parenthesis')
      return part
    }
    const position = take(/^(?:\^|\$|\\[AzbB])/)?.[0]
    if (position) return { kind: 'position', position: positionOf(position, flags) }
    if (take(/^\./)) return characterOf(flags.dotAll ? () => true : code => code !== 10)
    if (take(/^\[/)) return characterOf(readClass(flags))
    if (take(/^[*+?]/)) throw new PatternError('repeats nothing')
    return characterOf(readEscape(flags) ?? withCases(equals(takeCharacter()), flags))
  }

  const takeCharacter = (): number => {
    const code = source.codePointAt(at)
    if (code === undefined) throw new PatternError('is not complete')
    at += code > 0xffff ? 2 : 1
    return code
  }

  /** A class such as `\d` or `\p{L}`, or a character that is escaped. */
  const readEscape = (flags: Flags): CharacterTest | null => {
    if (source[at] !== '\\') return null
    const property = take(/^\\([pP])(?:\{(\^?)(\w+)\}|([A-Z]))/)
    if (property) {
      const test = withCases(propertyOf(property[3] ?? property[4] ?? ''), flags)
      return (property[1] === 'P') !== (property[2] === '^') ? not(test) : test
    }
    const named = take(/^\\([dDsSwW])/)?.[1]
    if (named) {
      const name = named.toLowerCase()
      const test = withCases(CLASSES[name] as CharacterTest, flags)
      return name === named ? test : not(test)
    }
    return withCases(equals(readEscapedCharacter()), flags)
  }

  const readEscapedCharacter = (): number => {
    const hexadecimal = take(/^\\x(?:([0-9A-Fa-f]{2})|\{([0-9A-Fa-f]{1,6})\})/)
    if (hexadecimal) return Number.parseInt(hexadecimal[1] ?? hexadecimal[2] ?? '', 16)
    const control = take(/^\\([afnrtv])/)?.[1]
    if (control) return CONTROLS[control] as number
    const escaped = take(/^\\([^\sA-Za-z0-9])/u)?.[1]
    if (escaped) return codeOf(escaped)
    throw new PatternError(`contains an escape that RE2 does not support: ${source.slice(at, at + 2)}`)
  }

  const readClass = (flags: Flags): CharacterTest => {
    const isNegated = take(/^\^/) !== null
    const tests: CharacterTest[] = []
    // A bracket at the beginning stands for itself.
    do tests.push(readClassPart(flags))
    while (at < source.length && source[at] !== ']')
    if (!take(/^\]/)) throw new PatternError('lacks a closing bracket')
    const test: CharacterTest = code => tests.some(one => one(code))
    return isNegated ? not(test) : test
  }

  const readClassPart = (flags: Flags): CharacterTest => {
    const named = take(/^\[:(\^?)(\w+):\]/)
    if (named) {
      const test = NAMED[named[2] as string]
      if (!test) throw new PatternError(`contains an unknown class: ${named[0]}`)
      return named[1] ? not(withCases(test, flags)) : withCases(test, flags)
    }
    if (/^\\[dDsSwWpP]/.test(rest())) return readEscape(flags) as CharacterTest
    const from = readClassCharacter()
    if (!/^-[^\]]/.test(rest())) return withCases(equals(from), flags)
    at++
    const to = readClassCharacter()
    if (to < from) throw new PatternError('contains an invalid range of characters')
    return withCases(code => code >= from && code <= to, flags)
  }

  const readClassCharacter = (): number => (source[at] === '\\' ? readEscapedCharacter() : takeCharacter())

  const readRepeat = (part: PatternNode): PatternNode => {
    const found = take(/^(?:([*+?])|\{(\d{1,4})(,(\d{0,4}))?\})\??/)
    if (!found) return part
    if (/^[*+?]/.test(rest())) throw new PatternError('repeats a repetition')
    const [, sign, least, range, most] = found
    const atLeast = sign ? (sign === '+' ? 1 : 0) : Number(least)
    const atMost = sign
      ? sign === '?'
        ? 1
        : Number.POSITIVE_INFINITY
      : range === undefined
        ? atLeast
        : most
          ? Number(most)
          : Number.POSITIVE_INFINITY
    if (
      atLeast > MAX_REPEAT ||
      (atMost > MAX_REPEAT && atMost !== Number.POSITIVE_INFINITY) ||
      atMost < atLeast
    )
      throw new PatternError('contains an invalid number of repetitions')
    return { kind: 'repeat', part, atLeast, atMost }
  }

  const node = readChoice({ ignoreCase: false, dotAll: false, multiline: false })
  if (at < source.length) throw new PatternError('contains an unexpected closing parenthesis')
  return node
}

const setFlags = (flags: Flags, on: string, off: string): void => {
  for (const [letters, value] of [
    [on, true],
    [off, false],
  ] as const) {
    if (letters.includes('i')) flags.ignoreCase = value
    if (letters.includes('s')) flags.dotAll = value
    if (letters.includes('m')) flags.multiline = value
  }
}

const positionOf = (sign: string, { multiline }: Flags): Position => {
  if (sign === '^') return multiline ? 'line start' : 'text start'
  if (sign === '$') return multiline ? 'line end' : 'text end'
  return POSITIONS[sign.slice(1)] as Position
}

const equals =
  (expected: number): CharacterTest =>
  code =>
    code === expected

const characterOf = (test: CharacterTest): PatternNode => ({ kind: 'character', test: withTable(test) })

/** A class is negated after this: `(?i)[^a]` matches neither `a` nor `A`. */
const withCases = (test: CharacterTest, { ignoreCase }: Flags): CharacterTest =>
  ignoreCase ? code => test(code) || casesOf(code).some(test) : test

export const ASCII = 128

/** Most characters are of ASCII. Each of them is tested once. */
export const withTable = (test: CharacterTest): CharacterTest => {
  const table = new Int8Array(ASCII).fill(-1)
  return code => {
    if (code >= ASCII) return test(code)
    if (table[code] === -1) table[code] = test(code) ? 1 : 0
    return table[code] === 1
  }
}

const casesOf = (code: number): number[] => {
  const character = String.fromCodePoint(code)
  const [lower, upper] = [character.toLowerCase(), character.toUpperCase()]
  return [lower, upper, lower.toUpperCase(), upper.toLowerCase()]
    .filter(other => other.length === character.length)
    .map(codeOf)
}

/** A general category or a script of Unicode. */
const propertyOf = (name: string): CharacterTest => {
  for (const property of [name, `Script=${name}`])
    try {
      const expression = new RegExp(`^\\p{${property}}$`, 'u')
      return code => expression.test(String.fromCodePoint(code))
    } catch {
      // Not a category; the next attempt is the script.
    }
  throw new PatternError(`contains an unknown property: ${name}`)
}

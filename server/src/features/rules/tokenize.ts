import { CAPITAL, classOf, codeAt, DIGIT, isBase64Url, OTHER, SMALL } from './characters.ts'
import { KIND_DIGITS, KIND_LETTERS } from './shape.ts'
import { findWord, type Word, type WordIndex } from './word-index.ts'

/** A word that says what stands nearby. */
export type Hit = { at: number; end: number; word: Word }

/** One pass over a text: its tokens, the words that are in the index, and the signs where other patterns begin to look. */
export type Tokens = {
  /** The text's UTF-16 units: an array is read several times as fast as a string. */
  units: Uint16Array
  bytes: Buffer
  count: number
  start: Int32Array
  end: Int32Array
  /** Letters, digits or both, as `shape.ts` has them. */
  kind: Uint8Array
  hits: Hit[]
  /** Whether there is a digit, a sign or a long word: without one, a text holds no number, address or secret. */
  telling: boolean
  /** Where the last of them stood, or the next one stands. */
  toldAt: number
  /** Where `@ : + -----BEGIN` stand. */
  marks: Int32Array
  markCount: number
}

export const newTokens = (): Tokens => ({
  ...newUnits(1024),
  count: 0,
  start: new Int32Array(1024),
  end: new Int32Array(1024),
  kind: new Uint8Array(1024),
  hits: [],
  telling: false,
  toldAt: 0,
  marks: new Int32Array(256),
  markCount: 0,
})

const newUnits = (size: number): { units: Uint16Array; bytes: Buffer } => {
  const units = new Uint16Array(size)
  return { units, bytes: Buffer.from(units.buffer) }
}

/** The shortest secret that may be all letters. */
const LONG = 16

/** Words further than this from anything that could be found say nothing of it. */
const REACH = 64
/** What could be found begins at one of these, or is a long word, where names, dates in words and pages are not asked for. */
const TELLING = /[0-9@+:[]|-----B/g

const nextTelling = (text: string, units: Uint16Array, from: number): number => {
  TELLING.lastIndex = from
  const sign = TELLING.exec(text)?.index ?? text.length
  const word = longWord(units, from, sign)
  return word < text.length ? word : text.length + REACH
}

/** Whoever looks at every sixteenth character meets every word that is as long; the others are hardly read. */
const longWord = (units: Uint16Array, from: number, to: number): number => {
  for (let probe = from + LONG - 1; probe < to; ) {
    let start = probe + 1
    while (start > from && isBase64Url(units[start - 1] as number)) start--
    let end = probe + 1
    if (start < end) while (end < to && end - start < LONG && isBase64Url(units[end] as number)) end++
    if (end - start >= LONG) return start
    probe = end + LONG - 1
  }
  return to
}

const SHORT = 48

const readUnits = (tokens: Tokens, text: string): void => {
  const { length } = text
  if (tokens.units.length < length) Object.assign(tokens, newUnits(length * 2))
  if (length > SHORT) tokens.bytes.write(text, 0, length * 2, 'utf16le')
  else for (let at = 0; at < length; at++) tokens.units[at] = text.charCodeAt(at)
}

const AT = 64
const COLON = 58
const PLUS = 43
const DASH = 45
const BRACKET = 91
const ARMOUR = '-----BEGIN '

export const tokenize = (
  tokens: Tokens,
  text: string,
  index: WordIndex,
  skipTo: (at: number) => number,
  mayLeap = false,
): void => {
  tokens.count = 0
  tokens.markCount = 0
  tokens.telling = false
  if (tokens.hits.length > 0) tokens.hits = []
  readUnits(tokens, text)
  const { units } = tokens
  const length = text.length
  tokens.toldAt = 0
  for (let at = 0; at < length; ) {
    if (mayLeap && at - tokens.toldAt > REACH) {
      const next = nextTelling(text, units, at)
      tokens.toldAt = next
      if (next - at > REACH * 2) {
        at = next - REACH
        while (at < length && classOf(units[at] as number) !== OTHER) at++
        continue
      }
    }
    const code = units[at] as number
    if (classOf(code) !== OTHER) {
      at = readToken(tokens, text, index, at)
      continue
    }
    if (code === AT || code === COLON || code === PLUS) mark(tokens, at)
    else if (code === DASH && codeAt(text, at + 1) === DASH && text.startsWith(ARMOUR, at)) mark(tokens, at)
    else if (code === BRACKET) {
      at = skipTo(at)
      continue
    }
    at++
  }
}

/** A word ends where a small letter meets a capital, as in `phoneNumber`, and where letters meet digits. */
const readToken = (tokens: Tokens, text: string, index: WordIndex, start: number): number => {
  const { units } = tokens
  const { length } = text
  let at = start
  let seen = 0
  let before = OTHER
  let wordStart = start
  let camel = false
  for (; at < length; at++) {
    const sort = classOf(units[at] as number)
    if (sort === before) continue
    if (sort === OTHER) break
    seen |= sort
    if (before === DIGIT) wordStart = at
    else if (sort === DIGIT || (before === SMALL && sort === CAPITAL)) {
      noteWord(tokens, text, index, wordStart, at, wordStart)
      camel ||= sort === CAPITAL
      wordStart = at
    }
    before = sort
  }
  if (before !== DIGIT) noteWord(tokens, text, index, wordStart, at, wordStart)
  // `IdNr` is a word of its own, beside the two it is made of.
  if (camel) noteWord(tokens, text, index, start, at, wordStart)
  const kind = (seen & DIGIT ? KIND_DIGITS : 0) | (seen & (SMALL | CAPITAL) ? KIND_LETTERS : 0)
  if (kind !== KIND_LETTERS || at - start >= LONG) {
    tokens.telling = true
    tokens.toldAt = at
  }
  if (tokens.count === tokens.start.length) growTokens(tokens)
  tokens.start[tokens.count] = start
  tokens.end[tokens.count] = at
  tokens.kind[tokens.count++] = kind
  return at
}

/** Hits stand in the order of the places that they are noted at. */
const noteWord = (
  tokens: Tokens,
  text: string,
  index: WordIndex,
  from: number,
  end: number,
  at: number,
): void => {
  const word = findWord(index, text, from, end)
  if (word) tokens.hits.push({ at, end, word })
}

const mark = (tokens: Tokens, at: number): void => {
  tokens.telling = true
  tokens.toldAt = at
  if (tokens.markCount === tokens.marks.length)
    tokens.marks = copyOf(tokens.marks, new Int32Array(tokens.marks.length * 2))
  tokens.marks[tokens.markCount++] = at
}

const growTokens = (tokens: Tokens): void => {
  const size = tokens.start.length * 2
  tokens.start = copyOf(tokens.start, new Int32Array(size))
  tokens.end = copyOf(tokens.end, new Int32Array(size))
  tokens.kind = copyOf(tokens.kind, new Uint8Array(size))
}

const copyOf = <A extends Int32Array | Uint8Array>(from: A, to: A): A => {
  to.set(from)
  return to
}

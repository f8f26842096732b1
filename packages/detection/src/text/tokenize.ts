import { KIND_DIGITS, KIND_LETTERS, KIND_MIXED } from '../rules/shape.ts'
import { MIN_BASE64_LENGTH } from './base64-text.ts'
import { CHARACTER_CLASSES, classOf, DIGIT, LOWERCASE, MARKER, OTHER, UPPERCASE } from './characters.ts'
import { mayBeIndexed, type Word, type WordIndex } from './word-index.ts'

/** An occurrence of a context word. `at` is where it counts as located; compound words count from their last part. */
export type WordHit = { at: number; end: number; word: Word }

type Utf16Writer = { write(text: string, offset: number, length: number, encoding: 'utf16le'): number }

/** The tokens of a text, and the positions where patterns may start. The arrays are reused for the next text. */
export type Tokens = {
  /** The text's UTF-16 code units, which are several times faster to read than the string. Zeros follow the text. */
  units: Uint16Array
  /** Writes to the same memory as `units`. */
  bytes: Utf16Writer
  count: number
  start: Int32Array
  end: Int32Array
  /** `KIND_LETTERS`, `KIND_DIGITS` or `KIND_MIXED`. Zeros follow the last token. */
  kind: Uint8Array
  /** The combined character classes of a token. */
  classes: Uint8Array
  /** The start of the possible base64 run that contains the token. */
  base64Start: Int32Array
  /** Tokens where a pattern may start: tokens with a digit, long tokens, and those that `mayStartPattern` selects. */
  starters: Int32Array
  starterCount: number
  /** Words that are in the index, ordered by `at`. */
  hits: WordHit[]
  /** Positions of `@ : +` and `-----BEGIN`. */
  markers: Int32Array
  markerCount: number
}

/** Number of zeros after the text and after the last token, so that data of a previous text is never read. */
const PADDING = 4

const newUnits = (size: number) => {
  const units = new Uint16Array(size)
  return { units, bytes: Buffer.from(units.buffer) }
}

/** At most every second character starts a token, and every character may be a marker. */
const newLists = (length: number) => ({
  start: new Int32Array((length >> 1) + PADDING),
  end: new Int32Array((length >> 1) + PADDING),
  kind: new Uint8Array((length >> 1) + PADDING),
  classes: new Uint8Array((length >> 1) + PADDING),
  base64Start: new Int32Array((length >> 1) + PADDING),
  starters: new Int32Array((length >> 1) + PADDING),
  markers: new Int32Array(length),
})

export const newTokens = (length: number): Tokens => ({
  ...newUnits(length + PADDING),
  ...newLists(length),
  count: 0,
  starterCount: 0,
  hits: [],
  markerCount: 0,
})

const MIN_CAPACITY = 4096
/** A larger capacity is released when the next shorter text is scanned. */
const MAX_KEPT_CAPACITY = 1 << 19

const ensureCapacity = (tokens: Tokens, length: number): void => {
  const capacity = tokens.markers.length
  if (capacity >= length && (capacity <= MAX_KEPT_CAPACITY || length > MAX_KEPT_CAPACITY)) return
  const size = Math.max(MIN_CAPACITY, length, Math.min(length * 2, MAX_KEPT_CAPACITY))
  Object.assign(tokens, newUnits(size + PADDING), newLists(size))
}

/** Up to this length, a loop is faster than a call of `Buffer.write`. */
const MAX_LOOP_COPY_LENGTH = 48

const copyUnits = (tokens: Tokens, text: string): void => {
  const { length } = text
  ensureCapacity(tokens, length)
  if (length > MAX_LOOP_COPY_LENGTH) tokens.bytes.write(text, 0, length * 2, 'utf16le')
  else for (let at = 0; at < length; at++) tokens.units[at] = text.charCodeAt(at)
  for (let at = length; at < length + PADDING; at++) tokens.units[at] = 0
}

const AT = 64
const COLON = 58
const PLUS = 43
const DASH = 45
const BRACKET = 91
const SPACE = 32
const PEM_HEADER = '-----BEGIN '
/** Maximum number of `+ - / _` between two parts of a base64 run. */
const MAX_BASE64_SIGNS = 3
const NONE = -1

/**
 * Splits a text into tokens. `mayStartPattern` is called for words without a digit that no space follows; `skipBracket`
 * returns where to continue after an opening bracket. The loop runs once per character, so it calls no other function.
 */
export const tokenize = (
  tokens: Tokens,
  text: string,
  mayStartPattern: (units: Uint16Array, start: number, end: number) => boolean,
  skipBracket: (at: number) => number,
): void => {
  copyUnits(tokens, text)
  if (tokens.hits.length > 0) tokens.hits = []
  const { units, start: starts, end: ends, kind: kinds, classes, base64Start, starters, markers } = tokens
  const { length } = text
  let count = 0
  let starterCount = 0
  let markerCount = 0
  let run = NONE
  let lastEnd = 0
  for (let at = 0; at < length; ) {
    let characterClass = CHARACTER_CLASSES[units[at] as number] as number
    if (characterClass === OTHER) {
      at++
      run = NONE
    } else if (characterClass === MARKER) {
      const code = units[at]
      if (code === BRACKET) {
        at = skipBracket(at)
        run = NONE
        continue
      }
      if (
        code === COLON ||
        code === AT ||
        code === PLUS ||
        (code === DASH && units[at + 1] === DASH && text.startsWith(PEM_HEADER, at))
      )
        markers[markerCount++] = at
      at++
      if (code === COLON || code === AT || at - lastEnd > MAX_BASE64_SIGNS) run = NONE
    } else {
      const start = at
      let combined = 0
      // The zero after the text ends the last token.
      do {
        combined |= characterClass
        at++
        characterClass = CHARACTER_CLASSES[units[at] as number] as number
      } while ((characterClass & ~MARKER) !== OTHER)
      if (run === NONE) run = start
      const kind = combined === DIGIT ? KIND_DIGITS : combined & DIGIT ? KIND_MIXED : KIND_LETTERS
      if (
        kind !== KIND_LETTERS ||
        at - run >= MIN_BASE64_LENGTH ||
        (units[at] !== SPACE && mayStartPattern(units, start, at))
      )
        starters[starterCount++] = count
      starts[count] = start
      ends[count] = at
      base64Start[count] = run
      classes[count] = combined
      kinds[count++] = kind
      lastEnd = at
    }
  }
  for (let n = count; n < count + PADDING; n++) kinds[n] = 0
  tokens.count = count
  tokens.starterCount = starterCount
  tokens.markerCount = markerCount
}

/** Adds every word of the text that is in the index to `hits`. */
export const findWords = (tokens: Tokens, text: string, index: WordIndex): void => {
  const { units, start: starts, end: ends, classes, count, hits } = tokens
  for (let n = 0; n < count; n++) {
    const start = starts[n] as number
    const end = ends[n] as number
    const combined = classes[n]
    if (combined === LOWERCASE || combined === UPPERCASE) {
      if (mayBeIndexed(index, units, start, end)) addHit(hits, text, index, start, end, start)
    } else if (
      combined !== DIGIT &&
      end - start <= ((combined as number) & DIGIT ? MAX_NUMBERED_NAME_LENGTH : MAX_NAME_LENGTH)
    )
      addParts(hits, text, units, index, start, end)
  }
}

/** Longer tokens are not names composed of words, even less so if they contain digits. */
const MAX_NAME_LENGTH = 64
const MAX_NUMBERED_NAME_LENGTH = 24

/** Splits a token where lowercase meets uppercase, as in `phoneNumber`, and where letters meet digits. */
const addParts = (
  hits: WordHit[],
  text: string,
  units: Uint16Array,
  index: WordIndex,
  start: number,
  end: number,
): void => {
  let previous = OTHER
  let from = start
  let isCamelCase = false
  for (let at = start; at < end; at++) {
    const characterClass = classOf(units[at] as number)
    if (characterClass === previous) continue
    if (previous === DIGIT) from = at
    else if (characterClass === DIGIT || (previous === LOWERCASE && characterClass === UPPERCASE)) {
      if (mayBeIndexed(index, units, from, at)) addHit(hits, text, index, from, at, from)
      isCamelCase ||= characterClass === UPPERCASE
      from = at
    }
    previous = characterClass
  }
  if (previous !== DIGIT && mayBeIndexed(index, units, from, end)) addHit(hits, text, index, from, end, from)
  // `IdNr` is also a word as a whole.
  if (isCamelCase && mayBeIndexed(index, units, start, end)) addHit(hits, text, index, start, end, from)
}

const addHit = (
  hits: WordHit[],
  text: string,
  { words }: WordIndex,
  from: number,
  end: number,
  at: number,
): void => {
  const word = words.get(text.slice(from, end).toLowerCase())
  if (word) hits.push({ at, end, word })
}

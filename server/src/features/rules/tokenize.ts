import { SHORTEST_BASE64 } from './base64-text.ts'
import { CAPITAL, classOf, DIGIT, OTHER, SIGN, SMALL, SORTS } from './characters.ts'
import { KIND_DIGITS, KIND_LETTERS, KIND_MIXED } from './shape.ts'
import { mayBeWord, type Word, type WordIndex } from './word-index.ts'

/** A word that says what stands nearby. */
export type Hit = { at: number; end: number; word: Word }

/** One pass over a text: its tokens, and where patterns begin to look. */
export type Tokens = {
  /** The text's UTF-16 units: an array is read several times as fast as a string. Zeros follow, so that what was there before is never read. */
  units: Uint16Array
  bytes: Buffer
  count: number
  start: Int32Array
  end: Int32Array
  /** Letters, digits or both, as `shape.ts` has them; zeros follow here too. */
  kind: Uint8Array
  /** The classes of its characters together, as `characters.ts` has them. */
  seen: Uint8Array
  /** Where a run begins that may be base64 and has this token in it. */
  run: Int32Array
  /** The tokens at which something may begin: those with a digit, long ones, and what `mayBegin` names. */
  telling: Int32Array
  tellingCount: number
  /** The words that are in the index, in the order of the places that they are noted at. */
  hits: Hit[]
  /** Where `@ : +` and `-----BEGIN` stand. */
  marks: Int32Array
  markCount: number
}

/** How many zeros follow. */
const MARGIN = 4

const newUnits = (size: number) => {
  const units = new Uint16Array(size)
  return { units, bytes: Buffer.from(units.buffer) }
}

/** Every second character may begin a token, and every one may be a mark. */
const newLists = (length: number) => ({
  start: new Int32Array((length >> 1) + MARGIN),
  end: new Int32Array((length >> 1) + MARGIN),
  kind: new Uint8Array((length >> 1) + MARGIN),
  seen: new Uint8Array((length >> 1) + MARGIN),
  run: new Int32Array((length >> 1) + MARGIN),
  telling: new Int32Array((length >> 1) + MARGIN),
  marks: new Int32Array(length),
})

const FIRST_LENGTH = 4096

export const newTokens = (): Tokens => ({
  ...newUnits(FIRST_LENGTH + MARGIN),
  ...newLists(FIRST_LENGTH),
  count: 0,
  tellingCount: 0,
  hits: [],
  markCount: 0,
})

/** Room for longer texts than this goes with the next one that is shorter. */
const KEPT_LENGTH = 1 << 19

const makeRoom = (tokens: Tokens, length: number): void => {
  const room = tokens.marks.length
  if (room >= length && (room <= KEPT_LENGTH || length > KEPT_LENGTH)) return
  const size = Math.max(FIRST_LENGTH, length, Math.min(length * 2, KEPT_LENGTH))
  Object.assign(tokens, newUnits(size + MARGIN), newLists(size))
}

const SHORT = 48

const readUnits = (tokens: Tokens, text: string): void => {
  const { length } = text
  makeRoom(tokens, length)
  if (length > SHORT) tokens.bytes.write(text, 0, length * 2, 'utf16le')
  else for (let at = 0; at < length; at++) tokens.units[at] = text.charCodeAt(at)
  for (let at = length; at < length + MARGIN; at++) tokens.units[at] = 0
}

const AT = 64
const COLON = 58
const PLUS = 43
const DASH = 45
const BRACKET = 91
const SPACE = 32
const ARMOUR = '-----BEGIN '
/** Of `+ - / _`, between two parts of base64. */
const MOST_SIGNS = 3
const NONE = -1

/**
 * `mayBegin` is asked about short words that no space follows. `skipTo` answers where to go on behind a bracket. All that the loop needs
 * is at hand in it: it runs for every character.
 */
export const tokenize = (
  tokens: Tokens,
  text: string,
  mayBegin: (units: Uint16Array, start: number, end: number) => boolean,
  skipTo: (at: number) => number,
): void => {
  readUnits(tokens, text)
  if (tokens.hits.length > 0) tokens.hits = []
  const { units, start: starts, end: ends, kind: kinds, seen: classes, run: runs, telling, marks } = tokens
  const { length } = text
  let count = 0
  let tellingCount = 0
  let markCount = 0
  let run = NONE
  let lastEnd = 0
  for (let at = 0; at < length; ) {
    let sort = SORTS[units[at] as number] as number
    if (sort === OTHER) {
      at++
      run = NONE
    } else if (sort === SIGN) {
      const code = units[at]
      if (code === BRACKET) {
        at = skipTo(at)
        run = NONE
        continue
      }
      if (
        code === COLON ||
        code === AT ||
        code === PLUS ||
        (code === DASH && units[at + 1] === DASH && text.startsWith(ARMOUR, at))
      )
        marks[markCount++] = at
      at++
      if (code === COLON || code === AT || at - lastEnd > MOST_SIGNS) run = NONE
    } else {
      const start = at
      let seen = 0
      // A zero follows the text, and is no letter.
      do {
        seen |= sort
        at++
        sort = SORTS[units[at] as number] as number
      } while ((sort & ~SIGN) !== OTHER)
      if (run === NONE) run = start
      const kind = seen === DIGIT ? KIND_DIGITS : seen & DIGIT ? KIND_MIXED : KIND_LETTERS
      if (
        kind !== KIND_LETTERS ||
        at - run >= SHORTEST_BASE64 ||
        (units[at] !== SPACE && mayBegin(units, start, at))
      )
        telling[tellingCount++] = count
      starts[count] = start
      ends[count] = at
      runs[count] = run
      classes[count] = seen
      kinds[count++] = kind
      lastEnd = at
    }
  }
  for (let n = count; n < count + MARGIN; n++) kinds[n] = 0
  tokens.count = count
  tokens.tellingCount = tellingCount
  tokens.markCount = markCount
}

/** Every word of the text that is in the index. */
export const findWords = (tokens: Tokens, text: string, index: WordIndex): void => {
  const { units, start: starts, end: ends, seen, count, hits } = tokens
  for (let n = 0; n < count; n++) {
    const start = starts[n] as number
    const end = ends[n] as number
    const classes = seen[n]
    if (classes === SMALL || classes === CAPITAL) {
      if (mayBeWord(index, units, start, end)) addWord(hits, text, index, start, end, start)
    } else if (
      classes !== DIGIT &&
      end - start <= ((classes as number) & DIGIT ? LONGEST_WITH_DIGITS : LONGEST_WORD)
    )
      addWords(hits, text, units, index, start, end)
  }
}

/** No name that was put together of words that say something is longer, and with a digit in it, none is half as long. */
const LONGEST_WORD = 64
const LONGEST_WITH_DIGITS = 24

/** A word ends where a small letter meets a capital, as in `phoneNumber`, and where letters meet digits. */
const addWords = (
  hits: Hit[],
  text: string,
  units: Uint16Array,
  index: WordIndex,
  start: number,
  end: number,
): void => {
  let before = OTHER
  let from = start
  let camel = false
  for (let at = start; at < end; at++) {
    const sort = classOf(units[at] as number)
    if (sort === before) continue
    if (before === DIGIT) from = at
    else if (sort === DIGIT || (before === SMALL && sort === CAPITAL)) {
      if (mayBeWord(index, units, from, at)) addWord(hits, text, index, from, at, from)
      camel ||= sort === CAPITAL
      from = at
    }
    before = sort
  }
  if (before !== DIGIT && mayBeWord(index, units, from, end)) addWord(hits, text, index, from, end, from)
  // `IdNr` is a word of its own, beside the two it is made of.
  if (camel && mayBeWord(index, units, start, end)) addWord(hits, text, index, start, end, from)
}

const addWord = (
  hits: Hit[],
  text: string,
  { words }: WordIndex,
  from: number,
  end: number,
  at: number,
): void => {
  const word = words.get(text.slice(from, end).toLowerCase())
  if (word) hits.push({ at, end, word })
}

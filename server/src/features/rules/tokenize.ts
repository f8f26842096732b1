import { classOf, DIGIT, LETTER, OTHER } from './characters.ts'
import { KIND_DIGITS, KIND_LETTERS } from './shape.ts'
import { findWord, HASH_START, hashStep, type Word, type WordIndex } from './word-index.ts'

/** A word that says what stands nearby. */
export type Hit = { at: number; end: number; word: Word }

/** One pass over a text: its tokens, the words that are in the index, and the signs where other patterns begin to look. */
export type Tokens = {
  count: number
  start: Int32Array
  end: Int32Array
  /** Letters, digits or both, as `shape.ts` has them. */
  kind: Uint8Array
  hits: Hit[]
  /** Where `@ : + -----BEGIN` stand. */
  marks: Int32Array
  markCount: number
}

export const newTokens = (): Tokens => ({
  count: 0,
  start: new Int32Array(1024),
  end: new Int32Array(1024),
  kind: new Uint8Array(1024),
  hits: [],
  marks: new Int32Array(256),
  markCount: 0,
})

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
): void => {
  tokens.count = 0
  tokens.markCount = 0
  if (tokens.hits.length > 0) tokens.hits = []
  const length = text.length
  for (let at = 0; at < length; ) {
    const code = text.charCodeAt(at)
    if (classOf(code) !== OTHER) {
      at = readToken(tokens, text, index, at)
      continue
    }
    if (code === AT || code === COLON || code === PLUS) mark(tokens, at)
    else if (code === DASH && text.charCodeAt(at + 1) === DASH && text.startsWith(ARMOUR, at))
      mark(tokens, at)
    else if (code === BRACKET) {
      at = skipTo(at)
      continue
    }
    at++
  }
}

/** Letters are hashed as they pass; a word ends where a small letter meets a capital, as in `phoneNumber`. */
const readToken = (tokens: Tokens, text: string, index: WordIndex, start: number): number => {
  let at = start
  let kind = 0
  let hash = HASH_START
  let wordStart = start
  let wasSmall = false
  for (; at < text.length; at++) {
    const code = text.charCodeAt(at)
    const sort = classOf(code)
    if (sort === OTHER) break
    kind |= sort === DIGIT ? KIND_DIGITS : KIND_LETTERS
    const isCapital = code >= 65 && code <= 90
    if (sort === DIGIT || (isCapital && wasSmall)) {
      if (at > wordStart) noteWord(tokens, text, index, hash, wordStart, at)
      hash = HASH_START
      wordStart = sort === DIGIT ? at + 1 : at
    }
    if (sort === LETTER) hash = hashStep(hash, code)
    wasSmall = sort === LETTER && !isCapital
  }
  if (at > wordStart) noteWord(tokens, text, index, hash, wordStart, at)
  if (tokens.count === tokens.start.length) growTokens(tokens)
  tokens.start[tokens.count] = start
  tokens.end[tokens.count] = at
  tokens.kind[tokens.count++] = kind
  return at
}

const noteWord = (
  tokens: Tokens,
  text: string,
  index: WordIndex,
  hash: number,
  at: number,
  end: number,
): void => {
  const word = findWord(index, hash, text, at, end)
  if (word) tokens.hits.push({ at, end, word })
}

const mark = (tokens: Tokens, at: number): void => {
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

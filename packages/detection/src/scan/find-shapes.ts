import { type ActiveShape, KIND_DIGITS, KIND_MIXED, nextNode, symbolOf } from '../rules/shape.ts'
import { classOf, isDigit, isSeparator, OTHER } from '../text/characters.ts'
import type { Tokens } from '../text/tokenize.ts'
import { contextDistance, NO_CONTEXT } from './context.ts'
import type { Scanner } from './scanner.ts'

const MAX_SEPARATORS = 3
const MIN_SPACED_DIGITS = 9
const MAX_SPACED_DIGITS = 19

/** Tries every shape that starts with token `n`, over the following tokens that only separators divide. */
export const findShapes = (scanner: Scanner, n: number): void => {
  const { tokens } = scanner
  const { trie } = scanner.rules
  if (isSingleDigit(tokens, n)) findSpacedDigits(scanner, n)
  let node = nextNode(trie, 0, symbolAt(tokens, n))
  if (node === 0 || isContinuation(tokens, n)) return
  for (let last = n; ; ) {
    const shapes = trie.rules[node]
    if (shapes && isEnd(tokens, last)) addShapes(scanner, n, last, shapes)
    if (++last >= tokens.count || !isJoined(tokens, last)) return
    node = nextNode(trie, node, symbolAt(tokens, last))
    if (node === 0) return
  }
}

const symbolAt = (tokens: Tokens, n: number): number =>
  symbolOf(tokens.kind[n] as number, (tokens.end[n] as number) - (tokens.start[n] as number))

const addShapes = (
  { text, tokens, context, addMatch }: Scanner,
  n: number,
  last: number,
  shapes: readonly ActiveShape[],
): void => {
  const start = tokens.start[n] as number
  const end = tokens.end[last] as number
  let compact = ''
  for (const shape of shapes) {
    const { entity, rule, separator, check, baseScore, contextScore, threshold, topic } = shape
    // The threshold is cheaper to test than the check digit.
    if (baseScore < threshold && contextDistance(context, topic, start, end, baseScore) === NO_CONTEXT)
      continue
    if (separator !== undefined && !hasSeparator(text, tokens, n, last, separator)) continue
    compact ||= compactText(text, tokens, n, last)
    if (check === undefined || check(compact)) addMatch({ entity, rule, start, end, baseScore, contextScore })
  }
}

/** Returns the characters of the tokens without separators, in uppercase. */
const compactText = (text: string, tokens: Tokens, n: number, last: number): string => {
  let compact = text.slice(tokens.start[n], tokens.end[n])
  let hasLetters = tokens.kind[n] !== KIND_DIGITS
  for (let token = n + 1; token <= last; token++) {
    compact += text.slice(tokens.start[token], tokens.end[token])
    hasLetters ||= tokens.kind[token] !== KIND_DIGITS
  }
  return hasLetters ? compact.toUpperCase() : compact
}

const hasSeparator = (text: string, tokens: Tokens, n: number, last: number, separator: string): boolean => {
  for (let token = n; token < last; token++) {
    const end = tokens.end[token] as number
    if ((tokens.start[token + 1] as number) - end !== separator.length || !text.startsWith(separator, end))
      return false
  }
  return true
}

/** Reads single digits with separators, `4 1 1 1 …`, as one number. */
const findSpacedDigits = (scanner: Scanner, n: number): void => {
  const { tokens } = scanner
  const { trie } = scanner.rules
  if (n > 0 && isSingleDigit(tokens, n - 1) && isJoined(tokens, n)) return
  let last = n
  while (last - n <= MAX_SPACED_DIGITS && isSingleDigit(tokens, last + 1) && isJoined(tokens, last + 1))
    last++
  const count = last - n + 1
  if (count < MIN_SPACED_DIGITS || count > MAX_SPACED_DIGITS) return
  const shapes = trie.rules[nextNode(trie, 0, symbolOf(KIND_DIGITS, count))]
  if (shapes && isEnd(tokens, last)) addShapes(scanner, n, last, shapes)
}

const isSingleDigit = ({ kind, start, end }: Tokens, n: number): boolean =>
  kind[n] === KIND_DIGITS && (end[n] as number) - (start[n] as number) === 1

/** True if only separators divide a token from the previous one. */
const isJoined = ({ units, start, end }: Tokens, n: number): boolean => {
  const from = end[n - 1] as number
  const to = start[n] as number
  if (to - from > MAX_SEPARATORS) return false
  for (let at = from; at < to; at++) if (!isSeparator(units[at] as number)) return false
  return true
}

const DASH = 45
const isTightSeparator = (code: number): boolean =>
  code === DASH || code === 46 || code === 47 || code === 95 || code === 58

/** True if the number started earlier, as in `1234-078-05-1120`, `0.123456789` or at the end of a UUID. */
const isContinuation = ({ units, start: starts, kind }: Tokens, n: number): boolean => {
  const start = starts[n] as number
  if (n === 0 || start < 2) return false
  const before = units[start - 1] as number
  const further = units[start - 2] as number
  if (!isTightSeparator(before) || classOf(further) === OTHER) return false
  return isDigit(further) || (before === DASH && kind[n - 1] === KIND_MIXED)
}

/** False if the number continues after the token. */
const isEnd = ({ units, start, end: ends, kind }: Tokens, last: number): boolean => {
  const end = ends[last] as number
  const next = units[end] as number
  if (!isTightSeparator(next)) return true
  if (isDigit(units[end + 1] as number)) return false
  return !(next === DASH && kind[last + 1] === KIND_MIXED && start[last + 1] === end + 1)
}

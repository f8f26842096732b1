import { classOf, codeAt, isDigit, isSeparator, OTHER } from './characters.ts'
import type { Offer } from './match.ts'
import { KIND_DIGITS, KIND_MIXED, type ShapeRule, type ShapeTrie, step, symbolOf } from './shape.ts'
import type { Tokens } from './tokenize.ts'

const MOST_BETWEEN = 3
const FEWEST_SPACED = 9
const MOST_SPACED = 19

/** Every shape that begins with token `n`, as far as tokens follow each other with nothing but separators between. */
export const findShapes = (
  text: string,
  tokens: Tokens,
  n: number,
  trie: ShapeTrie,
  offer: Offer,
  reaches: Offer,
): void => {
  const start = tokens.start[n] as number
  let node = step(trie, 0, symbolAt(tokens, n))
  if (tokens.kind[n] === KIND_DIGITS && tokens.end[n] === start + 1)
    findSpaced(text, tokens, n, trie, offer, reaches)
  if (node === 0 || isContinuation(text, tokens, n)) return
  for (let last = n; ; ) {
    const rules = trie.rules[node]
    if (rules && isEnd(text, tokens, last)) offerShape(text, tokens, n, last, rules, offer, reaches)
    if (++last >= tokens.count || !isJoined(text, tokens, last)) return
    node = step(trie, node, symbolAt(tokens, last))
    if (node === 0) return
  }
}

const symbolAt = (tokens: Tokens, n: number): number =>
  symbolOf(tokens.kind[n] as number, (tokens.end[n] as number) - (tokens.start[n] as number))

const offerShape = (
  text: string,
  tokens: Tokens,
  n: number,
  last: number,
  rules: readonly ShapeRule[],
  offer: Offer,
  reaches: Offer,
): void => {
  let compact = ''
  for (let token = n; token <= last; token++) compact += text.slice(tokens.start[token], tokens.end[token])
  offerCompact(text, tokens, n, last, compact.toUpperCase(), rules, offer, reaches)
}

const offerCompact = (
  text: string,
  tokens: Tokens,
  n: number,
  last: number,
  compact: string,
  rules: readonly ShapeRule[],
  offer: Offer,
  reaches: Offer,
): void => {
  const start = tokens.start[n] as number
  const end = tokens.end[last] as number
  for (const { entity, rule, joint, check, alone, together } of rules) {
    const sighting = { entity, rule, start, end, alone, together }
    // Whether it would count is known sooner than whether its check digit is right.
    if (!reaches(sighting) || (joint !== undefined && !hasJoints(text, tokens, n, last, joint))) continue
    if (check === undefined || check(compact)) offer(sighting)
  }
}

const hasJoints = (text: string, tokens: Tokens, n: number, last: number, joint: string): boolean => {
  for (let token = n; token < last; token++)
    if (text.slice(tokens.end[token], tokens.start[token + 1]) !== joint) return false
  return true
}

/** Digits that stand one by one, `4 1 1 1 …`, are read as the number that they make. */
const findSpaced = (
  text: string,
  tokens: Tokens,
  n: number,
  trie: ShapeTrie,
  offer: Offer,
  reaches: Offer,
): void => {
  if (n > 0 && isSingle(tokens, n - 1) && isJoined(text, tokens, n)) return
  let last = n
  let compact = text[tokens.start[n] as number] as string
  while (last + 1 < tokens.count && isSingle(tokens, last + 1) && isJoined(text, tokens, last + 1)) {
    last++
    if (compact.length <= MOST_SPACED) compact += text[tokens.start[last] as number]
  }
  if (compact.length < FEWEST_SPACED || compact.length > MOST_SPACED) return
  const rules = trie.rules[step(trie, 0, symbolOf(KIND_DIGITS, compact.length))]
  if (rules && isEnd(text, tokens, last)) offerCompact(text, tokens, n, last, compact, rules, offer, reaches)
}

const isSingle = (tokens: Tokens, n: number): boolean =>
  tokens.kind[n] === KIND_DIGITS && (tokens.end[n] as number) - (tokens.start[n] as number) === 1

/** Whether nothing but separators stands between a token and the one before it. */
const isJoined = (text: string, tokens: Tokens, n: number): boolean => {
  const from = tokens.end[n - 1] as number
  const to = tokens.start[n] as number
  if (to - from > MOST_BETWEEN) return false
  for (let at = from; at < to; at++) if (!isSeparator(codeAt(text, at))) return false
  return true
}

const DASH = 45
const isTight = (code: number): boolean =>
  code === DASH || code === 46 || code === 47 || code === 95 || code === 58

/** A number that goes on to the left, as in `1234-078-05-1120`, `0.123456789` or the end of a UUID, does not begin here. */
const isContinuation = (text: string, tokens: Tokens, n: number): boolean => {
  const start = tokens.start[n] as number
  const before = codeAt(text, start - 1)
  if (n === 0 || !isTight(before) || classOf(codeAt(text, start - 2)) === OTHER) return false
  return isDigit(codeAt(text, start - 2)) || (before === DASH && tokens.kind[n - 1] === KIND_MIXED)
}

const isEnd = (text: string, tokens: Tokens, last: number): boolean => {
  const end = tokens.end[last] as number
  const next = codeAt(text, end)
  if (!isTight(next)) return true
  if (isDigit(codeAt(text, end + 1))) return false
  return !(next === DASH && tokens.kind[last + 1] === KIND_MIXED && tokens.start[last + 1] === end + 1)
}

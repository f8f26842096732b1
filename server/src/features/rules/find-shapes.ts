import { classOf, isDigit, isSeparator, OTHER } from './characters.ts'
import { distanceTo, FAR } from './context.ts'
import type { Offer } from './match.ts'
import { type AskedShape, KIND_DIGITS, KIND_MIXED, type ShapeTrie, step, symbolOf } from './shape.ts'
import type { Tokens } from './tokenize.ts'

const MOST_BETWEEN = 3
const FEWEST_SPACED = 9
const MOST_SPACED = 19

/** Every shape that begins with token `n`, as far as tokens follow each other with nothing but separators between. */
export const findShapes = (text: string, tokens: Tokens, n: number, trie: ShapeTrie, offer: Offer): void => {
  if (isSingle(tokens, n)) findSpaced(text, tokens, n, trie, offer)
  let node = step(trie, 0, symbolAt(tokens, n))
  if (node === 0 || isContinuation(tokens, n)) return
  for (let last = n; ; ) {
    const shapes = trie.rules[node]
    if (shapes && isEnd(tokens, last)) offerShapes(text, tokens, n, last, shapes, offer)
    if (++last >= tokens.count || !isJoined(tokens, last)) return
    node = step(trie, node, symbolAt(tokens, last))
    if (node === 0) return
  }
}

const symbolAt = (tokens: Tokens, n: number): number =>
  symbolOf(tokens.kind[n] as number, (tokens.end[n] as number) - (tokens.start[n] as number))

const offerShapes = (
  text: string,
  tokens: Tokens,
  n: number,
  last: number,
  shapes: readonly AskedShape[],
  offer: Offer,
): void => {
  const start = tokens.start[n] as number
  const end = tokens.end[last] as number
  let compact = ''
  for (const shape of shapes) {
    const { entity, rule, joint, check, alone, together, threshold, topic } = shape
    // Whether it would count is known sooner than whether its check digit is right.
    if (alone < threshold && distanceTo(topic, start, end, alone) === FAR) continue
    if (joint !== undefined && !hasJoints(text, tokens, n, last, joint)) continue
    compact ||= compactOf(text, tokens, n, last)
    if (check === undefined || check(compact)) offer({ entity, rule, start, end, alone, together })
  }
}

/** The characters without what stands between them, in capitals. */
const compactOf = (text: string, tokens: Tokens, n: number, last: number): string => {
  let compact = text.slice(tokens.start[n], tokens.end[n])
  let letters = tokens.kind[n] !== KIND_DIGITS
  for (let token = n + 1; token <= last; token++) {
    compact += text.slice(tokens.start[token], tokens.end[token])
    letters ||= tokens.kind[token] !== KIND_DIGITS
  }
  return letters ? compact.toUpperCase() : compact
}

const hasJoints = (text: string, tokens: Tokens, n: number, last: number, joint: string): boolean => {
  for (let token = n; token < last; token++) {
    const end = tokens.end[token] as number
    if ((tokens.start[token + 1] as number) - end !== joint.length || !text.startsWith(joint, end))
      return false
  }
  return true
}

/** Digits that stand one by one, `4 1 1 1 …`, are read as the number that they make. */
const findSpaced = (text: string, tokens: Tokens, n: number, trie: ShapeTrie, offer: Offer): void => {
  if (n > 0 && isSingle(tokens, n - 1) && isJoined(tokens, n)) return
  let last = n
  while (last - n <= MOST_SPACED && isSingle(tokens, last + 1) && isJoined(tokens, last + 1)) last++
  const count = last - n + 1
  if (count < FEWEST_SPACED || count > MOST_SPACED) return
  const shapes = trie.rules[step(trie, 0, symbolOf(KIND_DIGITS, count))]
  if (shapes && isEnd(tokens, last)) offerShapes(text, tokens, n, last, shapes, offer)
}

const isSingle = ({ kind, start, end }: Tokens, n: number): boolean =>
  kind[n] === KIND_DIGITS && (end[n] as number) - (start[n] as number) === 1

/** Whether nothing but separators stands between a token and the one before it. */
const isJoined = ({ units, start, end }: Tokens, n: number): boolean => {
  const from = end[n - 1] as number
  const to = start[n] as number
  if (to - from > MOST_BETWEEN) return false
  for (let at = from; at < to; at++) if (!isSeparator(units[at] as number)) return false
  return true
}

const DASH = 45
const isTight = (code: number): boolean =>
  code === DASH || code === 46 || code === 47 || code === 95 || code === 58

/** A number that goes on to the left, as in `1234-078-05-1120`, `0.123456789` or the end of a UUID, does not begin here. */
const isContinuation = ({ units, start: starts, kind }: Tokens, n: number): boolean => {
  const start = starts[n] as number
  if (n === 0 || start < 2) return false
  const before = units[start - 1] as number
  const further = units[start - 2] as number
  if (!isTight(before) || classOf(further) === OTHER) return false
  return isDigit(further) || (before === DASH && kind[n - 1] === KIND_MIXED)
}

const isEnd = ({ units, start, end: ends, kind }: Tokens, last: number): boolean => {
  const end = ends[last] as number
  const next = units[end] as number
  if (!isTight(next)) return true
  if (isDigit(units[end + 1] as number)) return false
  return !(next === DASH && kind[last + 1] === KIND_MIXED && start[last + 1] === end + 1)
}

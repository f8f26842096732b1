import { KIND_DIGITS } from '../rules/shape.ts'
import type { AddMatch } from '../scan/match.ts'
import { isDigit, isSeparator } from '../text/characters.ts'
import type { Tokens } from '../text/tokenize.ts'
import { cardRules, isCardNumber } from './card-numbers.ts'

const MIN_DIGITS = 13
const MAX_DIGITS = 19
const MAX_BETWEEN = 3
const NEWLINE = 10
const RETURN = 13

/** Common groupings of the digits of a card: `4,4,4,4`. */
const GROUPINGS = new Set(
  cardRules.flatMap(({ shapes }) => shapes.map(shape => shape.replaceAll('D', '').replaceAll(' ', ','))),
)
const FIRST_GROUPS = new Set(Array.from(GROUPINGS, grouping => Number(grouping.split(',')[0])))

/**
 * Cards whose digits touch a letter, or whose groups are on separate lines. Identifiers and columns of figures look the
 * same, so these count only near a word that names a card.
 */
const BASE_SCORE = 0.3
const CONTEXT_SCORE = 0.9

type Run = { digits: string; groups: number[]; start: number; end: number; isObscured: boolean }

/** Finds such a card that starts with token `n`. */
export const findObscuredCard = (text: string, tokens: Tokens, n: number, addMatch: AddMatch): void => {
  // Most numbers are rejected here.
  if (tokens.kind[n] === KIND_DIGITS && !mayStart(tokens, n)) return
  const run = startRun(text, tokens, n)
  if (!run) return
  for (let last = n; run.digits.length < MAX_DIGITS && endsInDigits(tokens, last); last++) {
    const gap = gapAfter(tokens, last)
    if (gap === null || !addGroup(text, tokens, last + 1, run)) break
    run.isObscured ||= gap === 'line'
  }
  const { digits, groups, start, end, isObscured } = run
  if (!isObscured || digits.length < MIN_DIGITS || !GROUPINGS.has(groups.join())) return
  if (isDigit(tokens.units[end] as number) || !isCardNumber(digits)) return
  addMatch({
    entity: 'CREDIT_CARD',
    rule: 'card-obscured',
    start,
    end,
    baseScore: BASE_SCORE,
    contextScore: CONTEXT_SCORE,
  })
}

/** True if the token is a group of a card and follows no other number. */
const mayStart = ({ units, start, end, kind }: Tokens, n: number): boolean => {
  const from = start[n] as number
  if (!FIRST_GROUPS.has((end[n] as number) - from)) return false
  if (n === 0 || kind[n - 1] !== KIND_DIGITS) return true
  const gap = from - (end[n - 1] as number)
  return gap > MAX_BETWEEN || !(isSeparator(units[from - 1] as number) || units[from - 1] === NEWLINE)
}

/** Reads the last digits of a token. Returns null if they are not a group of a card, or not the only digits. */
const startRun = (text: string, tokens: Tokens, n: number): Run | null => {
  const { units, start: starts, end: ends, kind } = tokens
  const from = starts[n] as number
  const to = ends[n] as number
  let end = to
  while (end > from && !isDigit(units[end - 1] as number)) end--
  let start = end
  while (start > from && isDigit(units[start - 1] as number)) start--
  const length = end - start
  const isWhole = kind[n] === KIND_DIGITS
  if (!FIRST_GROUPS.has(length) || (!isWhole && hasDigit(units, from, start))) return null
  return { digits: text.slice(start, end), groups: [length], start, end, isObscured: !isWhole }
}

/** Returns false if the token does not start with digits, or contains more of them later. */
const addGroup = (
  text: string,
  { units, start: starts, end: ends, kind }: Tokens,
  n: number,
  run: Run,
): boolean => {
  const from = starts[n] as number
  const to = ends[n] as number
  let end = from
  while (end < to && isDigit(units[end] as number)) end++
  if (end === from || hasDigit(units, end, to)) return false
  run.digits += text.slice(from, end)
  run.groups.push(end - from)
  run.end = end
  run.isObscured ||= kind[n] !== KIND_DIGITS
  return true
}

const hasDigit = (units: Uint16Array, from: number, to: number): boolean => {
  for (let at = from; at < to; at++) if (isDigit(units[at] as number)) return true
  return false
}

const endsInDigits = ({ units, end }: Tokens, n: number): boolean =>
  isDigit(units[(end[n] as number) - 1] as number)

/** Returns how the next token follows: on the same line, after one line break, or null if it does not. */
const gapAfter = ({ units, start, end, count }: Tokens, n: number): 'same line' | 'line' | null => {
  if (n + 1 >= count) return null
  const from = end[n] as number
  const to = start[n + 1] as number
  if (to - from > MAX_BETWEEN) return null
  let breaks = 0
  for (let at = from; at < to; at++) {
    const code = units[at] as number
    if (code === NEWLINE) breaks++
    else if (code !== RETURN && !isSeparator(code)) return null
  }
  if (breaks === 0) return 'same line'
  return breaks === 1 ? 'line' : null
}

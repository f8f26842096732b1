import { cardRules, isCardNumber } from './card-numbers.ts'
import { isDigit, isSeparator } from './characters.ts'
import type { Offer } from './match.ts'
import { KIND_DIGITS } from './shape.ts'
import type { Tokens } from './tokenize.ts'

const FEWEST_DIGITS = 13
const MAX_DIGITS = 19
const MAX_BETWEEN = 3
const NEWLINE = 10
const RETURN = 13

/** How people group the digits of a card: `4,4,4,4`. */
const GROUPINGS = new Set(
  cardRules.flatMap(({ shapes }) => shapes.map(shape => shape.replaceAll('D', '').replaceAll(' ', ','))),
)
const FIRST_GROUPS = new Set(Array.from(GROUPINGS, grouping => Number(grouping.split(',')[0])))

/**
 * Cards whose digits touch a letter, or whose groups are on lines of their own. Identifiers and columns of figures look the
 * same, so that these count only beside a word that names a card.
 */
const ALONE = 0.3
const TOGETHER = 0.9

type Run = { digits: string; groups: number[]; start: number; end: number; isObscured: boolean }

/** Looks for such a card that begins with token `n`. */
export const findObscuredCard = (text: string, tokens: Tokens, n: number, offer: Offer): void => {
  // Most numbers are neither.
  if (tokens.kind[n] === KIND_DIGITS && !mayBegin(tokens, n)) return
  const run = beginRun(text, tokens, n)
  if (!run) return
  for (let last = n; run.digits.length < MAX_DIGITS && endsInDigits(tokens, last); last++) {
    const joint = jointAfter(tokens, last)
    if (joint === null || !addGroup(text, tokens, last + 1, run)) break
    run.isObscured ||= joint === 'line'
  }
  const { digits, groups, start, end, isObscured } = run
  if (!isObscured || digits.length < FEWEST_DIGITS || !GROUPINGS.has(groups.join())) return
  if (isDigit(tokens.units[end] as number) || !isCardNumber(digits)) return
  offer({ entity: 'CREDIT_CARD', rule: 'card-obscured', start, end, alone: ALONE, together: TOGETHER })
}

/** A group that is a token of its own, and that no other number is in front of. */
const mayBegin = ({ units, start, end, kind }: Tokens, n: number): boolean => {
  const from = start[n] as number
  if (!FIRST_GROUPS.has((end[n] as number) - from)) return false
  if (n === 0 || kind[n - 1] !== KIND_DIGITS) return true
  const gap = from - (end[n - 1] as number)
  return gap > MAX_BETWEEN || !(isSeparator(units[from - 1] as number) || units[from - 1] === NEWLINE)
}

/** The digits at the end of a token, or, where letters follow them, all digits that there are. */
const beginRun = (text: string, tokens: Tokens, n: number): Run | null => {
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

/** False where the token does not begin with digits. */
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

/** What is between a token and the next one: separators, one line break, or something else. */
const jointAfter = ({ units, start, end, count }: Tokens, n: number): 'same line' | 'line' | null => {
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

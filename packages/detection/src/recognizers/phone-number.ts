import metadata from 'libphonenumber-js/metadata.min.json'
import type { AddMatch } from '../scan/match.ts'
import { codeAt, isDigit } from '../text/characters.ts'

/** E.164: at most fifteen digits, including the calling code. */
const MAX_DIGITS = 15
const MIN_DIGITS = 8
const PLUS = 43
/** Space, `-`, `.`, `/` and brackets. */
const isPhoneSeparator = (code: number): boolean =>
  code === 32 || code === 45 || code === 46 || code === 47 || code === 40 || code === 41
const MAX_SEPARATORS = 3

/** The lengths and the pattern of the numbers that follow a calling code, from the data of libphonenumber. */
type CallingCode = { lengths: Set<number>; pattern: RegExp }
type CountryData = [code: string, prefix: unknown, pattern: string, lengths: number[]]

const callingCodes = ((): Map<string, CallingCode> => {
  const data = metadata as unknown as {
    countries: Record<string, CountryData>
    nonGeographic: Record<string, CountryData>
  }
  const countries = Map.groupBy(
    [...Object.values(data.countries), ...Object.values(data.nonGeographic)],
    ([code]) => code,
  )
  return new Map(
    [...countries].map(([code, sharing]) => [
      code,
      {
        lengths: new Set(sharing.flatMap(([, , , lengths]) => lengths)),
        // North America shares one plan: area code and exchange start with 2 to 9.
        pattern:
          code === '1'
            ? /^[2-9]\d\d[2-9]\d{6}$/
            : new RegExp(`^(?:${sharing.map(([, , pattern]) => pattern).join('|')})$`),
      },
    ]),
  )
})()

const isInternational = (digits: string): boolean => {
  for (let length = 1; length <= 3; length++) {
    const country = callingCodes.get(digits.slice(0, length))
    const national = digits.slice(length)
    if (country?.lengths.has(national.length)) return country.pattern.test(national)
  }
  return false
}

/** Groups of digits. Reused for every number, because most numbers are not phone numbers. */
export type PhoneGroups = {
  count: number
  /** The total number of digits. */
  digits: number
  lengths: Uint8Array
  ends: Int32Array
  /** True if the groups are separated by single spaces only. */
  isPlain: boolean
}

export const newPhoneGroups = (): PhoneGroups => ({
  count: 0,
  digits: 0,
  lengths: new Uint8Array(MAX_DIGITS),
  ends: new Int32Array(MAX_DIGITS),
  isPlain: true,
})

const readGroups = (groups: PhoneGroups, units: Uint16Array, start: number): void => {
  groups.count = 0
  groups.digits = 0
  groups.isPlain = true
  for (let at = start; ; ) {
    let end = at
    while (end - at <= MAX_DIGITS && isDigit(units[end] as number)) end++
    if (end === at || groups.digits + end - at > MAX_DIGITS) return
    if (at === start || !isTrunkZero(units, at, end)) {
      groups.lengths[groups.count] = end - at
      groups.ends[groups.count++] = end
      groups.digits += end - at
    }
    at = end
    while (at - end < MAX_SEPARATORS && isPhoneSeparator(units[at] as number)) at++
    if (at === end) return
    if (at - end > 1 || units[end] !== 32) groups.isPlain = false
  }
}

/** The zero in `+49 (0)30` is not dialed. */
const isTrunkZero = (units: Uint16Array, at: number, end: number): boolean =>
  end - at === 1 && units[at] === 48 && units[at - 1] === 40 && units[end] === 41

/** Returns the digits of the first `count` groups. */
const digitsOf = ({ ends, lengths }: PhoneGroups, text: string, count: number): string => {
  let digits = ''
  for (let group = 0; group < count; group++) {
    const end = ends[group] as number
    digits += text.slice(end - (lengths[group] as number), end)
  }
  return digits
}

const hasLengths = ({ count, lengths }: PhoneGroups, ...expected: number[]): boolean => {
  if (count < expected.length) return false
  for (let group = 0; group < expected.length; group++) if (lengths[group] !== expected[group]) return false
  return true
}

/** Finds `+` and a number of the country that it names: the longest one that is valid there. */
export const findInternationalNumber = (
  groups: PhoneGroups,
  text: string,
  units: Uint16Array,
  plus: number,
  addMatch: AddMatch,
): void => {
  let first = plus + 1
  while (first - plus <= MAX_SEPARATORS && isPhoneSeparator(codeAt(text, first))) first++
  if (isDigit(codeAt(text, plus - 1)) || !isDigit(codeAt(text, first))) return
  readGroups(groups, units, first)
  addLongest(groups, text, plus, 0, 0.8, addMatch)
}

/** Adds the longest valid international number. `skip` is the number of digits before the calling code. */
const addLongest = (
  groups: PhoneGroups,
  text: string,
  start: number,
  skip: number,
  baseScore: number,
  addMatch: AddMatch,
): boolean => {
  if (groups.digits - skip < MIN_DIGITS) return false
  const digits = digitsOf(groups, text, groups.count).slice(skip)
  let count = digits.length
  for (let group = groups.count - 1; group >= 0 && count >= MIN_DIGITS; group--) {
    const end = groups.ends[group] as number
    if (isComplete(text, end) && isInternational(digits.slice(0, count)))
      return addMatch({
        entity: 'PHONE_NUMBER',
        rule: 'international',
        start,
        end,
        baseScore,
        contextScore: 0.95,
      })
    count -= groups.lengths[group] as number
  }
  return false
}

/** False if the number continues after a dot, dash, slash or colon. */
const isComplete = (text: string, end: number): boolean => {
  const next = codeAt(text, end)
  return !(
    isDigit(next) ||
    ((next === 45 || next === 46 || next === 47 || next === 58) && isDigit(codeAt(text, end + 1)))
  )
}

const NORTH_AMERICAN = /^1?[2-9]\d\d[2-9]\d{6}$/
const MIN_NATIONAL_DIGITS = 7

/** Finds a number without a calling code, by its format and context. `start` is the position of its first digit. */
export const findNationalNumber = (
  groups: PhoneGroups,
  text: string,
  units: Uint16Array,
  start: number,
  addMatch: AddMatch,
): void => {
  const before = start > 0 ? units[start - 1] : 0
  if (before === PLUS || isContinuation(units, start)) return
  readGroups(groups, units, start)
  if (groups.digits < MIN_NATIONAL_DIGITS) return
  const isOpened = before === 40
  const from = isOpened ? start - 1 : start
  const add = (rule: string, count: number, baseScore: number, contextScore: number): boolean => {
    const end = groups.ends[count - 1] as number
    return (
      isComplete(text, end) &&
      addMatch({ entity: 'PHONE_NUMBER', rule, start: from, end, baseScore, contextScore })
    )
  }
  const hasZero = units[start] === 48
  const hasTwoZeros = hasZero && units[start + 1] === 48
  if (hasTwoZeros && addLongest(groups, text, from, 2, groups.count > 1 ? 0.6 : 0.3, addMatch)) return
  const american = hasLengths(groups, 3, 3, 4) ? 3 : hasLengths(groups, 1, 3, 3, 4) ? 4 : 0
  if (american > 0 && NORTH_AMERICAN.test(digitsOf(groups, text, american)))
    if (add('north-american', american, groups.isPlain && !isOpened ? 0.45 : 0.6, 0.9)) return
  if (hasZero && hasLengths(groups, 2, 2, 2, 2, 2) && add('french', 5, 0.55, 0.9)) return
  const mayBeTrunk = hasZero && groups.digits >= 9 && groups.digits <= 12 && groups.count > 1
  if (mayBeTrunk && add('trunk', groups.count, 0.4, 0.85)) return
  add('in-context', groups.count, 0.1, 0.65)
}

/** True if the group is in the middle of a number. */
const isContinuation = (units: Uint16Array, start: number): boolean => {
  let at = start
  while (at > 0 && start - at < MAX_SEPARATORS && isPhoneSeparator(units[at - 1] as number)) at--
  return at > 0 && at < start && isDigit(units[at - 1] as number) && units[start - 1] !== 40
}

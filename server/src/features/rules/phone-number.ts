import metadata from 'libphonenumber-js/metadata.min.json'
import { codeAt, isDigit } from './characters.ts'
import type { Offer } from './match.ts'

/** E.164: fifteen digits at most, the country's included. */
const MOST_DIGITS = 15
const FEWEST_DIGITS = 8
const PLUS = 43
/** Space, `-`, `.`, `/`, brackets; at most three of them between two digits. */
const isBetween = (code: number): boolean =>
  code === 32 || code === 45 || code === 46 || code === 47 || code === 40 || code === 41
const MOST_BETWEEN = 3

/** What libphonenumber's data say of a calling code: how many digits follow it, and which. */
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
        // North America shares one plan: area and exchange begin with 2 to 9.
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

/** Groups of digits from a place on. There is one, filled anew for each number: most numbers are no phone's. */
const MOST_GROUPS = MOST_DIGITS
const groups = {
  count: 0,
  digits: 0,
  lengths: new Uint8Array(MOST_GROUPS),
  ends: new Int32Array(MOST_GROUPS),
  /** Nothing but single spaces between them. */
  plain: true,
}

const readGroups = (units: Uint16Array, start: number): void => {
  groups.count = 0
  groups.digits = 0
  groups.plain = true
  for (let at = start; ; ) {
    let end = at
    while (end - at <= MOST_DIGITS && isDigit(units[end] as number)) end++
    if (end === at || groups.digits + end - at > MOST_DIGITS) return
    if (at === start || !isTrunkZero(units, at, end)) {
      groups.lengths[groups.count] = end - at
      groups.ends[groups.count++] = end
      groups.digits += end - at
    }
    at = end
    while (at - end < MOST_BETWEEN && isBetween(units[at] as number)) at++
    if (at === end) return
    if (at - end > 1 || units[end] !== 32) groups.plain = false
  }
}

/** The zero in `+49 (0)30` is not dialled. */
const isTrunkZero = (units: Uint16Array, at: number, end: number): boolean =>
  end - at === 1 && units[at] === 48 && units[at - 1] === 40 && units[end] === 41

/** The digits of the first groups. */
const digitsOf = (text: string, count: number): string => {
  let digits = ''
  for (let group = 0; group < count; group++) {
    const end = groups.ends[group] as number
    digits += text.slice(end - (groups.lengths[group] as number), end)
  }
  return digits
}

const areLengths = (...expected: number[]): boolean => {
  if (groups.count < expected.length) return false
  for (let group = 0; group < expected.length; group++)
    if (groups.lengths[group] !== expected[group]) return false
  return true
}

/** `+` and a number of the country that it names; the longest one that its plan knows. */
export const findInternational = (text: string, units: Uint16Array, plus: number, offer: Offer): void => {
  let first = plus + 1
  while (first - plus <= MOST_BETWEEN && isBetween(codeAt(text, first))) first++
  if (isDigit(codeAt(text, plus - 1)) || !isDigit(codeAt(text, first))) return
  readGroups(units, first)
  offerLongest(text, plus, 0, 0.8, offer)
}

const offerLongest = (text: string, start: number, skip: number, alone: number, offer: Offer): boolean => {
  if (groups.digits - skip < FEWEST_DIGITS) return false
  const digits = digitsOf(text, groups.count).slice(skip)
  let count = digits.length
  for (let group = groups.count - 1; group >= 0 && count >= FEWEST_DIGITS; group--) {
    const end = groups.ends[group] as number
    if (isWhole(text, end) && isInternational(digits.slice(0, count)))
      return offer({ entity: 'PHONE_NUMBER', rule: 'international', start, end, alone, together: 0.95 })
    count -= groups.lengths[group] as number
  }
  return false
}

/** A number that goes on after a point or a dash is another one. */
const isWhole = (text: string, end: number): boolean => {
  const next = codeAt(text, end)
  return !(
    isDigit(next) ||
    ((next === 45 || next === 46 || next === 47 || next === 58) && isDigit(codeAt(text, end + 1)))
  )
}

const NORTH_AMERICA = /^1?[2-9]\d\d[2-9]\d{6}$/
const FEWEST_NATIONAL = 7

/** Without a country: by how it is written, and by the words around it. `start` is where its first digit stands. */
export const findNational = (text: string, units: Uint16Array, start: number, offer: Offer): void => {
  const before = start > 0 ? units[start - 1] : 0
  if (before === PLUS || isContinued(units, start)) return
  readGroups(units, start)
  if (groups.digits < FEWEST_NATIONAL) return
  const opened = before === 40
  const from = opened ? start - 1 : start
  const found = (rule: string, count: number, alone: number, together: number): boolean => {
    const end = groups.ends[count - 1] as number
    return isWhole(text, end) && offer({ entity: 'PHONE_NUMBER', rule, start: from, end, alone, together })
  }
  const zero = units[start] === 48
  if (zero && units[start + 1] === 48 && offerLongest(text, from, 2, groups.count > 1 ? 0.6 : 0.3, offer))
    return
  const american = areLengths(3, 3, 4) ? 3 : areLengths(1, 3, 3, 4) ? 4 : 0
  if (american > 0 && NORTH_AMERICA.test(digitsOf(text, american)))
    if (found('north-american', american, groups.plain && !opened ? 0.45 : 0.6, 0.9)) return
  if (zero && areLengths(2, 2, 2, 2, 2) && found('french', 5, 0.55, 0.9)) return
  if (
    zero &&
    groups.digits >= 9 &&
    groups.digits <= 12 &&
    groups.count > 1 &&
    found('trunk', groups.count, 0.4, 0.85)
  )
    return
  found('in-context', groups.count, 0.1, 0.65)
}

/** The first group of a number, and not one in its middle. */
const isContinued = (units: Uint16Array, start: number): boolean => {
  let at = start
  while (at > 0 && start - at < MOST_BETWEEN && isBetween(units[at - 1] as number)) at--
  return at > 0 && at < start && isDigit(units[at - 1] as number) && units[start - 1] !== 40
}

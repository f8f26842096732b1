import metadata from 'libphonenumber-js/metadata.min.json'
import { isDigit } from './characters.ts'
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

/** Groups of digits from a place on: all digits, how long each group is, and where it ends. */
type Groups = { digits: string; lengths: number[]; ends: number[]; plain: boolean }

const readGroups = (text: string, start: number): Groups => {
  const groups: Groups = { digits: '', lengths: [], ends: [], plain: true }
  for (let at = start; ; ) {
    let end = at
    while (end - at <= MOST_DIGITS && isDigit(text.charCodeAt(end))) end++
    if (end === at || groups.digits.length + end - at > MOST_DIGITS) return groups
    // The trunk zero in `+49 (0)30` is not dialled.
    if (
      !(
        text.charCodeAt(at - 1) === 40 &&
        text.charCodeAt(end) === 41 &&
        text.slice(at, end) === '0' &&
        at > start
      )
    ) {
      groups.digits += text.slice(at, end)
      groups.lengths.push(end - at)
      groups.ends.push(end)
    }
    at = end
    while (at - end < MOST_BETWEEN && isBetween(text.charCodeAt(at))) at++
    if (at === end) return groups
    if (at - end > 1 || text.charCodeAt(end) !== 32) groups.plain = false
  }
}

/** `+` and a number of the country that it names; the longest one that its plan knows. */
export const findInternational = (text: string, plus: number, offer: Offer): void => {
  let first = plus + 1
  while (first - plus <= MOST_BETWEEN && isBetween(text.charCodeAt(first))) first++
  if (isDigit(text.charCodeAt(plus - 1)) || !isDigit(text.charCodeAt(first))) return
  offerLongest(text, plus, readGroups(text, first), 0, 0.8, offer)
}

const offerLongest = (
  text: string,
  start: number,
  groups: Groups,
  skip: number,
  alone: number,
  offer: Offer,
): boolean => {
  const { digits, lengths, ends } = groups
  let count = digits.length
  for (let group = ends.length - 1; group >= 0 && count - skip >= FEWEST_DIGITS; group--) {
    const end = ends[group] as number
    if (isWhole(text, end) && isInternational(digits.slice(skip, count)))
      return offer({ entity: 'PHONE_NUMBER', rule: 'international', start, end, alone, together: 0.95 })
    count -= lengths[group] as number
  }
  return false
}

/** A number that goes on after a point or a dash is another one. */
const isWhole = (text: string, end: number): boolean => {
  const next = text.charCodeAt(end)
  return !(
    isDigit(next) ||
    ((next === 45 || next === 46 || next === 47 || next === 58) && isDigit(text.charCodeAt(end + 1)))
  )
}

const NORTH_AMERICA = /^1?[2-9]\d\d[2-9]\d{6}$/
const isFour = (lengths: number[], expected: string): boolean => lengths.join(' ') === expected

/** Without a country: by how it is written, and by the words around it. `start` is where its first digit stands. */
export const findNational = (text: string, start: number, offer: Offer): void => {
  const before = text.charCodeAt(start - 1)
  if (before === PLUS || isContinued(text, start)) return
  const groups = readGroups(text, start)
  const { digits, lengths, ends, plain } = groups
  const opened = before === 40
  const from = opened ? start - 1 : start
  const found = (rule: string, end: number, alone: number, together: number): boolean =>
    isWhole(text, end) && offer({ entity: 'PHONE_NUMBER', rule, start: from, end, alone, together })
  if (digits.startsWith('00') && offerLongest(text, from, groups, 2, lengths.length > 1 ? 0.6 : 0.3, offer))
    return
  const ten = lengths[0] === 1 ? 4 : 3
  const head = lengths.slice(0, ten)
  if (isFour(head, '3 3 4') || (isFour(head, '1 3 3 4') && digits[0] === '1')) {
    const number = digits.slice(0, ten === 4 ? 11 : 10)
    if (
      NORTH_AMERICA.test(number) &&
      found('north-american', ends[ten - 1] as number, plain && !opened ? 0.45 : 0.6, 0.9)
    )
      return
  }
  if (
    isFour(lengths.slice(0, 5), '2 2 2 2 2') &&
    /^0[1-9]/.test(digits) &&
    found('french', ends[4] as number, 0.55, 0.9)
  )
    return
  const end = ends.at(-1)
  if (end === undefined || digits.length < 7 || /^(\d)\1+$/.test(digits)) return
  if (
    digits[0] === '0' &&
    digits.length >= 9 &&
    digits.length <= 12 &&
    lengths.length > 1 &&
    found('trunk', end, 0.4, 0.85)
  )
    return
  found('in-context', end, 0.1, 0.65)
}

/** The first group of a number, and not one in its middle. */
const isContinued = (text: string, start: number): boolean => {
  let at = start - 1
  while (start - 1 - at < MOST_BETWEEN && isBetween(text.charCodeAt(at))) at--
  return at < start - 1 && isDigit(text.charCodeAt(at)) && text.charCodeAt(start - 1) !== 40
}

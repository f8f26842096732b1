import { DAY, HOUR, MINUTE, SECOND } from '../../../core/duration.ts'
import { Duration, Timestamp } from './values.ts'

const UNITS: Record<string, number> = { h: HOUR, m: MINUTE, s: SECOND, ms: 1, us: 0.001, ns: 0.000_001 }
const DURATION = /^-?(?:\d{1,12}(?:\.\d{1,9})?(?:h|ms|m|s|us|ns))+$/
const DURATION_PART = /(\d+(?:\.\d+)?)(h|ms|m|s|us|ns)/g

const MAX_TIME = Date.UTC(9999, 11, 31, 23, 59, 59, 999)
const MIN_TIME = Date.parse('0001-01-01T00:00:00Z')
/** About ten thousand years, as in Protocol Buffers. */
const MAX_DURATION = 315_576_000_000 * SECOND

/** Null if the time is out of range. */
export const createTimestamp = (ms: number): Timestamp | null =>
  ms >= MIN_TIME && ms <= MAX_TIME ? new Timestamp(ms) : null

/** Null if the duration is out of range. */
export const createDuration = (ms: number): Duration | null =>
  Math.abs(ms) <= MAX_DURATION ? new Duration(ms) : null

/** Parses `1h30m`. */
export const parseDuration = (text: string): Duration | null => {
  if (text.length > 64 || !DURATION.test(text)) return null
  let ms = 0
  for (const [, amount, unit] of text.matchAll(DURATION_PART)) ms += Number(amount) * (UNITS[unit ?? ''] ?? 0)
  return createDuration(text.startsWith('-') ? -ms : ms)
}

const PERIOD_UNITS: Record<string, number> = { s: SECOND, m: MINUTE, h: HOUR, d: DAY }
const PERIOD = /^([1-9]\d{0,6})([smhd])$/
const MIN_PERIOD = MINUTE
/** Records of calls are kept for longer. */
const MAX_PERIOD = 31 * DAY

/** Milliseconds in a period of `count()`, such as `1h`. Null if it is invalid. */
export const parsePeriod = (text: string): number | null => {
  const [, amount, unit] = PERIOD.exec(text) ?? []
  const ms = Number(amount) * (PERIOD_UNITS[unit ?? ''] ?? 0)
  return ms >= MIN_PERIOD && ms <= MAX_PERIOD ? ms : null
}

const TIMESTAMP = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d{1,9})?(?:Z|[+-]\d\d:\d\d)$/

/** Parses a time of RFC 3339. */
export const parseTimestamp = (text: string): Timestamp | null => {
  return TIMESTAMP.test(text) ? createTimestamp(Date.parse(text)) : null
}

/** A time in a time zone. As in CEL, months and days of the month count from zero, except for `date`; Sunday is 0. */
type ClockTime = {
  year: number
  month: number
  date: number
  dayOfMonth: number
  dayOfWeek: number
  hours: number
  minutes: number
  seconds: number
}
type Clock = (ms: number) => ClockTime

const utc: Clock = ms => {
  const date = new Date(ms)
  return {
    year: date.getUTCFullYear(),
    month: date.getUTCMonth(),
    date: date.getUTCDate(),
    dayOfMonth: date.getUTCDate() - 1,
    dayOfWeek: date.getUTCDay(),
    hours: date.getUTCHours(),
    minutes: date.getUTCMinutes(),
    seconds: date.getUTCSeconds(),
  }
}

const MAX_FORMATS = 100
const formats = new Map<string, Intl.DateTimeFormat>()

/** Creating a format takes much longer than using it. Throws if there is no such time zone. */
export const clockIn = (timeZone: string): Clock => {
  if (timeZone === 'UTC') return utc
  const format = formats.get(timeZone) ?? formatIn(timeZone)
  if (formats.size >= MAX_FORMATS) formats.clear()
  formats.set(timeZone, format)
  return ms => {
    const parts = Object.fromEntries(format.formatToParts(ms).map(({ type, value }) => [type, Number(value)]))
    const { year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0 } = parts
    // The same time of day in UTC has the same fields.
    return utc(Date.UTC(year, month - 1, day, hour, minute, second))
  }
}

const formatIn = (timeZone: string): Intl.DateTimeFormat => {
  try {
    return new Intl.DateTimeFormat('en-US', {
      timeZone,
      hourCycle: 'h23',
      year: 'numeric',
      month: 'numeric',
      day: 'numeric',
      hour: 'numeric',
      minute: 'numeric',
      second: 'numeric',
    })
  } catch (cause) {
    throw new Error('is not a time zone', { cause })
  }
}

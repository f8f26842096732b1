import { Refusal } from './refusal.ts'

const DATE = /^\d{4}-\d{2}-\d{2}$/
const TIME = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i

/**
 * Parses a date (midnight UTC) or a time with a zone. Times without a zone are rejected, because they would depend on the
 * machine.
 */
export const parseTime = (param: string, given: string | undefined): Date | null => {
  if (given === undefined) return null
  // An unencoded plus sign in a query string arrives as a space.
  const value = given.replace(' ', '+')
  const at = DATE.test(value) || TIME.test(value) ? new Date(value) : null
  // JavaScript parses dates like 31 February as dates in March.
  if (!at || Number.isNaN(at.getTime()) || !isCalendarDate(value.slice(0, 10)))
    throw new Refusal('invalid_request', {
      param,
      message: `"${param}" must be a date (2026-01-31) or a time with a zone (2026-01-31T12:00:00Z).`,
    })
  return at
}

const isCalendarDate = (date: string): boolean => {
  const at = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === date && date >= '0001'
}

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

import { Refusal } from '../../../core/refusal.ts'

const DATE = /^\d{4}-\d{2}-\d{2}$/
const MOMENT = /^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2})$/i

/** A date is its first moment, UTC. Anything else says its zone: a time without one would be another time on another machine. */
export const parseMoment = (param: string, given: string | undefined): Date | null => {
  if (given === undefined) return null
  // A plus sign that was not encoded in an address is a space by now.
  const value = given.replace(' ', '+')
  const at = DATE.test(value) || MOMENT.test(value) ? new Date(value) : null
  // 31 February is read as a day of March by some.
  if (!at || Number.isNaN(at.getTime()) || !isDayOfCalendar(value.slice(0, 10)))
    throw new Refusal('invalid_request', {
      param,
      message: `"${param}" is a date (2026-01-31), or a date with time and zone (2026-01-31T12:00:00Z).`,
    })
  return at
}

const isDayOfCalendar = (date: string): boolean => {
  const at = new Date(`${date}T00:00:00Z`)
  return !Number.isNaN(at.getTime()) && at.toISOString().slice(0, 10) === date && date >= '0001'
}

export const dayOf = (at: Date): string => at.toISOString().slice(0, 10)

import { DAY, HOUR, MINUTE, SECOND } from '../../core/duration.ts'

/** Delays after each failed attempt: ten attempts within 75 hours. */
const DELAYS_MS = [
  5 * SECOND,
  5 * MINUTE,
  30 * MINUTE,
  2 * HOUR,
  5 * HOUR,
  10 * HOUR,
  14 * HOUR,
  20 * HOUR,
  24 * HOUR,
]
const JITTER = 0.1
const MAX_RETRY_AFTER_MS = DAY

export const MAX_ATTEMPTS = DELAYS_MS.length + 1

/**
 * Milliseconds until the next attempt, or null after the last one. `retryAfterMs`: what the receiver has asked for. The delay varies by a
 * tenth, so that deliveries that failed together are not repeated together.
 */
export const delayAfter = (
  attempts: number,
  retryAfterMs: number | null,
  random: () => number = Math.random,
): number | null => {
  const delay = DELAYS_MS[attempts - 1]
  if (delay === undefined) return null
  const varied = Math.round(delay * (1 + JITTER * (2 * random() - 1)))
  return Math.max(varied, Math.min(retryAfterMs ?? 0, MAX_RETRY_AFTER_MS))
}

/** Seconds or a date, as in RFC 9110, 10.2.3. */
export const parseRetryAfter = (header: string | undefined, now: number = Date.now()): number | null => {
  if (header === undefined) return null
  if (/^\d{1,9}$/.test(header.trim())) return Number(header) * SECOND
  const date = Date.parse(header)
  return Number.isNaN(date) ? null : Math.max(0, date - now)
}

/**
 * Seconds in which an endpoint gets no further request after failures in a row. The first four do not stop it; after that, a single
 * attempt finds out whether it works again.
 */
export const BREAKER_WAIT_SECONDS = [0, 0, 0, 0, 5, 10, 20, 40, 80, 160, 300] as const

import { DAY, SECOND } from '../../core/duration.ts'

const JITTER = 0.1
const MAX_RETRY_AFTER_MS = DAY

/**
 * Milliseconds until the next attempt, or null after the last one. `retryAfterMs`: what the receiver has asked for. The delay varies by a
 * tenth, so that deliveries that failed together are not repeated together.
 */
export const delayAfter = (
  delaysMs: readonly number[],
  attempts: number,
  retryAfterMs: number | null,
  random: () => number = Math.random,
): number | null => {
  const delay = delaysMs[attempts - 1]
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

import type { CarabinerError } from './carabiner-error.ts'

/** Base of the exponential backoff. */
const BASE_DELAY_MS = 250
/** If the service asks for a longer delay, the error is thrown instead of retrying. */
const MAX_DELAY_MS = 20_000

/** Returns the delay in milliseconds before the next attempt, or `null` if the request should not be retried. */
export const retryDelay = (error: CarabinerError, attempts: number, random: () => number): number | null => {
  if (!isTransient(error)) return null
  const jitter = random() * BASE_DELAY_MS * 2 ** Math.min(attempts - 1, 10)
  // Jitter is added to Retry-After, so that clients that were rejected together do not retry together.
  const delay = (error.retryAfter ?? 0) * 1000 + jitter
  return (error.retryAfter ?? 0) * 1000 > MAX_DELAY_MS ? null : Math.min(delay, MAX_DELAY_MS + BASE_DELAY_MS)
}

/** Upper limit of the delay between two attempts to reconnect a stream. */
const MAX_RECONNECT_MS = 30_000

/** Returns the delay before a lost stream is opened again, or `null` if the error is permanent, such as a revoked key. */
export const reconnectDelay = (
  error: CarabinerError,
  failures: number,
  { reconnectMs, random }: { reconnectMs: number; random: () => number },
): number | null => {
  // A proxy responds with 502 or 504 while the service restarts.
  if (!isTransient(error) && error.status < 500) return null
  const backoff = Math.min(
    Math.max(reconnectMs, BASE_DELAY_MS) * 2 ** Math.min(failures - 1, 10),
    MAX_RECONNECT_MS,
  )
  return Math.max((error.retryAfter ?? 0) * 1000, backoff / 2) + (random() * backoff) / 2
}

const isTransient = ({ status, code }: CarabinerError): boolean =>
  status === 0 ||
  status === 429 ||
  status === 503 ||
  // The service is still processing an attempt whose response was lost.
  code === 'idempotency_in_progress'

export const sleep = (milliseconds: number, signal?: AbortSignal): Promise<void> =>
  new Promise((resolve, reject) => {
    const stop = (): void => {
      clearTimeout(timer)
      reject(signal?.reason as Error)
    }
    const timer = setTimeout(() => {
      signal?.removeEventListener('abort', stop)
      resolve()
    }, milliseconds)
    if (signal?.aborted) stop()
    else signal?.addEventListener('abort', stop, { once: true })
  })

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

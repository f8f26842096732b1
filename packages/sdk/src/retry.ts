import type { CarabinerError } from './carabiner-error.ts'

/** The first pause; each further one is twice as long. */
const FIRST_PAUSE = 250
/** Whoever is told to wait longer than this is told so, rather than kept waiting. */
const LONGEST_PAUSE = 20_000

/** Milliseconds until the next try, or `null` where there should be none. `tries` counts those that were made. */
export const pauseBeforeRetry = (
  error: CarabinerError,
  tries: number,
  random: () => number,
): number | null => {
  if (!isPassing(error)) return null
  const spread = random() * FIRST_PAUSE * 2 ** Math.min(tries - 1, 10)
  // Never earlier than told; a little later, so that those who were turned away together do not come back together.
  const pause = (error.retryAfter ?? 0) * 1000 + spread
  return (error.retryAfter ?? 0) * 1000 > LONGEST_PAUSE ? null : Math.min(pause, LONGEST_PAUSE + FIRST_PAUSE)
}

const isPassing = ({ status, code }: CarabinerError): boolean =>
  status === 0 ||
  status === 429 ||
  status === 503 ||
  // The first try is still at work there, though its answer was lost here.
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

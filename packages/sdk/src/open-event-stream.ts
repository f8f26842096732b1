import { readEvents } from '@carabiner/contract/event-stream'
import { CarabinerError } from './carabiner-error.ts'
import { readResponse, toError } from './read-response.ts'
import { connectionError, noResponse, type Settings, unreachable } from './send.ts'

/** The service sends a heartbeat every 15 seconds, so a connection that is silent for longer is lost. */
const SILENCE_TIMEOUT_MS = 45_000

export type StreamRequest = {
  path: string
  lastEventId: string | null
  signal: AbortSignal | undefined
  /** Timeout of connecting. */
  timeoutMs: number
}

/** A message without data may still have a position or a delay. */
export type StreamMessage = { data: string; id: string | null; retryMs: number | null }

/** Opens one connection. The returned messages end when the service closes it, and throw a CarabinerError when it is lost. */
export const openEventStream = async (
  { headers, baseUrl, fetch }: Settings,
  { path, lastEventId, signal, timeoutMs }: StreamRequest,
  now: () => number,
): Promise<AsyncIterable<StreamMessage>> => {
  signal?.throwIfAborted()
  const watchdog = createWatchdog(timeoutMs)
  try {
    const response = await fetch(`${baseUrl}/api/v1${path}`, {
      method: 'GET',
      headers: {
        ...headers,
        accept: 'text/event-stream',
        ...(lastEventId !== null && { 'last-event-id': lastEventId }),
      },
      redirect: 'manual',
      signal: signal ? AbortSignal.any([signal, watchdog.signal]) : watchdog.signal,
    })
    if (response.ok && response.body && isEventStream(response))
      return readMessages(response.body, watchdog, signal)
    await readResponse(response, now())
    throw toError(response, undefined, now())
  } catch (error) {
    watchdog.stop()
    if (error instanceof CarabinerError) throw error
    signal?.throwIfAborted()
    throw watchdog.isExpired() ? noResponse(timeoutMs, error) : unreachable(error)
  }
}

const isEventStream = ({ headers }: Response): boolean =>
  headers.get('content-type')?.startsWith('text/event-stream') ?? false

async function* readMessages(
  body: ReadableStream<Uint8Array>,
  watchdog: Watchdog,
  signal: AbortSignal | undefined,
): AsyncGenerator<StreamMessage, void> {
  try {
    yield* readEvents(readChunks(body, watchdog))
  } catch (error) {
    signal?.throwIfAborted()
    throw watchdog.isExpired()
      ? connectionError('timeout', `Carabiner sent nothing for ${SILENCE_TIMEOUT_MS / 1000} seconds.`, error)
      : connectionError('network_error', 'The connection to Carabiner was lost.', error)
  } finally {
    watchdog.stop()
  }
}

async function* readChunks(
  body: ReadableStream<Uint8Array>,
  watchdog: Watchdog,
): AsyncGenerator<Uint8Array, void> {
  const reader = body.getReader()
  for (;;) {
    watchdog.restart(SILENCE_TIMEOUT_MS)
    const { done, value } = await reader.read()
    // The time that the caller takes to process an event does not count.
    watchdog.pause()
    if (done) return
    yield value
  }
}

type Watchdog = {
  /** Aborts the request. */
  signal: AbortSignal
  isExpired(): boolean
  restart(timeoutMs: number): void
  pause(): void
  /** Also closes the connection. */
  stop(): void
}

const createWatchdog = (timeoutMs: number): Watchdog => {
  const controller = new AbortController()
  let hasExpired = false
  const expire = (): void => {
    hasExpired = true
    controller.abort()
  }
  let timer = setTimeout(expire, timeoutMs)
  const pause = (): void => clearTimeout(timer)
  return {
    signal: controller.signal,
    isExpired: () => hasExpired,
    pause,
    restart: next => {
      pause()
      timer = setTimeout(expire, next)
    },
    stop: () => {
      pause()
      controller.abort()
    },
  }
}

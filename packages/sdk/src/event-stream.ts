import { CarabinerError } from './carabiner-error.ts'
import { openEventStream } from './open-event-stream.ts'
import { reconnectDelay, retryDelay } from './retry.ts'
import { connectionError, type Runtime, type Settings } from './send.ts'

export type EventStreamOptions = {
  /** Ends the stream: the iteration throws the reason of the signal. */
  signal?: AbortSignal | undefined
  /** Position after which the stream starts: the `lastEventId` of an earlier stream. Default: the stream starts now. */
  lastEventId?: string | null | undefined
  /** Timeout of connecting. Overrides the client's setting. */
  timeoutMs?: number | undefined
  /** Retries of the first connection. Overrides the client's setting. A lost connection is retried until it succeeds. */
  retries?: number | undefined
  /** Called each time the connection is established. */
  onConnect?: (() => void) | undefined
  /** Called each time the connection is lost or cannot be restored, with the milliseconds until the next attempt. */
  onDisconnect?: ((error: CarabinerError, delayMs: number) => void) | undefined
}

/** Events as they happen: `for await (const event of stream)`. An event may be repeated after a lost connection. */
export type EventStream<T> = AsyncIterable<T> & {
  /** Position after the events that were returned. Store it to continue there later. */
  readonly lastEventId: string | null
}
export type Follow = <T>(path: string, options: EventStreamOptions) => EventStream<T>

/** Default delay before a lost connection is restored. The service may send another one. */
const RECONNECT_MS = 2_000

export const createFollow =
  (settings: Settings, runtime: Runtime): Follow =>
  <T>(path: string, options: EventStreamOptions): EventStream<T> => {
    const { signal, timeoutMs = settings.timeoutMs } = options
    const backoff = createBackoff(runtime, { ...options, retries: options.retries ?? settings.retries })
    let lastEventId = options.lastEventId ?? null
    return {
      get lastEventId() {
        return lastEventId
      },
      async *[Symbol.asyncIterator]() {
        for (;;) {
          let lost = connectionError('network_error', 'Carabiner has closed the connection.')
          try {
            const request = { path, lastEventId, signal, timeoutMs }
            const messages = await openEventStream(settings, request, runtime.now)
            backoff.connected()
            for await (const { id, retryMs, data } of messages) {
              lastEventId = id ?? lastEventId
              if (retryMs !== null) backoff.setDelay(retryMs)
              if (data !== '') yield parseEvent(data) as T
            }
          } catch (error) {
            if (!(error instanceof CarabinerError)) throw error
            lost = error
          }
          await backoff.wait(lost)
        }
      },
    }
  }

/** Waits between connections. The first one fails as other requests do, so that a wrong URL is reported. */
const createBackoff = (
  { random, sleep }: Runtime,
  { signal, retries, onConnect, onDisconnect }: EventStreamOptions & { retries: number },
) => {
  let reconnectMs = RECONNECT_MS
  let hasConnected = false
  let failures = 0
  return {
    setDelay: (milliseconds: number): void => {
      reconnectMs = milliseconds
    },
    connected: (): void => {
      hasConnected = true
      failures = 0
      onConnect?.()
    },
    wait: async (error: CarabinerError): Promise<void> => {
      failures++
      const delayMs = hasConnected
        ? reconnectDelay(error, failures, { reconnectMs, random })
        : retryDelay(error, failures, random)
      if (delayMs === null || (!hasConnected && failures > retries)) throw error
      if (hasConnected) onDisconnect?.(error, delayMs)
      await sleep(delayMs, signal)
    },
  }
}

const parseEvent = (data: string): unknown => {
  try {
    return JSON.parse(data) as unknown
  } catch (cause) {
    throw new CarabinerError({
      status: 200,
      type: 'internal_error',
      code: 'unexpected_response',
      message: 'The stream contains an event that is not JSON. Check baseUrl and any proxy in between.',
      cause,
    })
  }
}

import { CarabinerError } from './carabiner-error.ts'
import { readAnswer } from './read-answer.ts'
import { pauseBeforeRetry } from './retry.ts'

/** What any call may be given. */
export type CallOptions = {
  signal?: AbortSignal | undefined
  /** For this call alone, instead of the client's. */
  timeoutMs?: number | undefined
  retries?: number | undefined
}
/** A POST carries an `Idempotency-Key` of its own unless given one: the same key and body, the same answer. */
export type PostOptions = CallOptions & { idempotencyKey?: string | undefined }

export type ApiRequest = {
  query?: Record<string, string | number | undefined>
  body?: object
  /** Sent as it is, instead of JSON. */
  bytes?: { type: string; data: Uint8Array | ArrayBuffer | Blob }
  /** The service keeps no answer to repeat, as for a key that is shown once: it is asked for once. */
  once?: boolean
  /** Answered with something else than JSON, which is handed on as it is. */
  asText?: boolean
}
export type Method = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE'
export type Send = <T>(
  method: Method,
  path: string,
  options?: PostOptions,
  request?: ApiRequest,
) => Promise<T>

export type Settings = {
  apiKey: string
  /** Without a slash at its end. */
  baseUrl: string
  fetch: typeof globalThis.fetch
  timeoutMs: number
  retries: number
}
export type Surroundings = {
  now: () => number
  random: () => number
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  newKey: () => string
}

/** One call: tried again where that can do no harm and may help. */
export const createSend =
  (settings: Settings, { now, random, sleep, newKey }: Surroundings): Send =>
  async <T>(method: Method, path: string, options: PostOptions = {}, request: ApiRequest = {}) => {
    const { signal, retries = settings.retries, timeoutMs = settings.timeoutMs } = options
    const idempotencyKey =
      method === 'POST' && !request.once ? (options.idempotencyKey ?? newKey()) : undefined
    const mayRepeat = method === 'GET' || method === 'DELETE' || idempotencyKey !== undefined
    const url = addressOf(settings, path, request)
    const init = { method, ...payloadOf(settings, request, idempotencyKey) }

    for (let tries = 1, lost = false; ; tries++) {
      try {
        return (await tryOnce(settings.fetch, url, init, {
          signal,
          timeoutMs,
          now,
          asText: request.asText,
        })) as T
      } catch (error) {
        if (!(error instanceof CarabinerError)) throw error
        // The try before, whose answer was lost, has removed it.
        if (method === 'DELETE' && lost && error.status === 404) return undefined as T
        const pause = mayRepeat && tries <= retries ? pauseBeforeRetry(error, tries, random) : null
        if (pause === null) throw error
        lost ||= error.status === 0
        await sleep(pause, signal)
      }
    }
  }

const addressOf = ({ baseUrl }: Settings, path: string, { query = {} }: ApiRequest): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return `${baseUrl}/api/v1${path}${search.size > 0 ? `?${search}` : ''}`
}

const payloadOf = (
  { apiKey }: Settings,
  { body, bytes }: ApiRequest,
  idempotencyKey: string | undefined,
): RequestInit => ({
  headers: {
    authorization: `Bearer ${apiKey}`,
    accept: 'application/json',
    ...(body && { 'content-type': 'application/json' }),
    ...(bytes && { 'content-type': bytes.type }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  },
  ...(body && { body: JSON.stringify(body) }),
  // Older compilers know no views of a shared buffer, newer ones want them told apart.
  ...(bytes && { body: bytes.data as ArrayBuffer }),
})

type Limits = {
  signal: AbortSignal | undefined
  timeoutMs: number
  now: () => number
  asText: boolean | undefined
}

const tryOnce = async (
  fetch: Settings['fetch'],
  url: string,
  init: RequestInit,
  { signal, timeoutMs, now, asText }: Limits,
): Promise<unknown> => {
  signal?.throwIfAborted()
  const deadline = AbortSignal.timeout(timeoutMs)
  const either = signal ? AbortSignal.any([signal, deadline]) : deadline
  try {
    // Never redirected: the key goes where it was meant to go, or nowhere.
    const response = await fetch(url, { ...init, redirect: 'manual', signal: either })
    return asText && response.ok ? await response.text() : await readAnswer(response, now())
  } catch (error) {
    if (error instanceof CarabinerError) throw error
    signal?.throwIfAborted()
    throw deadline.aborted
      ? connectionError('timeout', `Carabiner did not answer within ${timeoutMs} ms.`, error)
      : connectionError(
          'network_error',
          'Carabiner cannot be reached. Look at baseUrl, and try again.',
          error,
        )
  }
}

const connectionError = (code: string, message: string, cause: unknown): CarabinerError =>
  new CarabinerError({ status: 0, type: 'connection_error', code, message, cause })

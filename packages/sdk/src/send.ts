import { CarabinerError, type ConnectionCode } from './carabiner-error.ts'
import { readResponse } from './read-response.ts'
import { retryDelay } from './retry.ts'

/** Options of every call. */
export type CallOptions = {
  signal?: AbortSignal | undefined
  /** Overrides the client's setting for this call. */
  timeoutMs?: number | undefined
  retries?: number | undefined
}
/** A POST with the same `Idempotency-Key` and body returns the same response. Default: a random key. */
export type PostOptions = CallOptions & { idempotencyKey?: string | undefined }

export type ApiRequest = {
  query?: Record<string, string | number | undefined>
  body?: object
  /** Raw body, sent instead of JSON. */
  bytes?: { type: string; data: Uint8Array | ArrayBuffer | Blob }
  /** Disables retries, because the service does not store the response for repetition, for example of a new key. */
  once?: boolean
  /** Sends only an `Idempotency-Key` that the options contain, and retries only with one. */
  onlyGivenKey?: boolean
  /** Added to the timeout of the client, because the response waits for a person or a provider. */
  extraMs?: number
  /** Returns the response body as text instead of parsing it as JSON. */
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
  /** Authenticates every request. */
  headers: Readonly<Record<string, string>>
  /** Without a trailing slash. */
  baseUrl: string
  fetch: typeof globalThis.fetch
  timeoutMs: number
  retries: number
}
export type Runtime = {
  now: () => number
  random: () => number
  sleep: (milliseconds: number, signal?: AbortSignal) => Promise<void>
  newKey: () => string
}

/** A provider may take 30 seconds, after the seconds that the call waits for its user. */
export const timeOfCall = ({ wait = 0 }: { wait?: number }): number => (30 + wait) * 1000

/** Sends one API request, and retries it after a transient error if it is safe to repeat. */
export const createSend =
  (settings: Settings, { now, random, sleep, newKey }: Runtime): Send =>
  async <T>(method: Method, path: string, options: PostOptions = {}, request: ApiRequest = {}) => {
    const { signal, retries = settings.retries } = options
    const timeoutMs = options.timeoutMs ?? settings.timeoutMs + (request.extraMs ?? 0)
    const newKeyOrNone = request.onlyGivenKey ? () => undefined : newKey
    const idempotencyKey =
      method === 'POST' && !request.once ? (options.idempotencyKey ?? newKeyOrNone()) : undefined
    const isRetryable = method === 'GET' || method === 'DELETE' || idempotencyKey !== undefined
    const url = urlOf(settings, path, request)
    const init = { method, ...payloadOf(settings, request, idempotencyKey) }

    for (let attempts = 1, isResponseLost = false; ; attempts++) {
      try {
        return (await attempt(settings.fetch, url, init, {
          signal,
          timeoutMs,
          now,
          asText: request.asText,
        })) as T
      } catch (error) {
        if (!(error instanceof CarabinerError)) throw error
        // A previous attempt, whose response was lost, has already deleted the resource.
        if (method === 'DELETE' && isResponseLost && error.status === 404) return undefined as T
        const delay = isRetryable && attempts <= retries ? retryDelay(error, attempts, random) : null
        if (delay === null) throw error
        isResponseLost ||= error.status === 0
        await sleep(delay, signal)
      }
    }
  }

const urlOf = ({ baseUrl }: Settings, path: string, { query = {} }: ApiRequest): string => {
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) if (value !== undefined) search.set(name, String(value))
  return `${baseUrl}/api/v1${path}${search.size > 0 ? `?${search.toString()}` : ''}`
}

const payloadOf = (
  { headers }: Settings,
  { body, bytes }: ApiRequest,
  idempotencyKey: string | undefined,
): RequestInit => ({
  headers: {
    ...headers,
    accept: 'application/json',
    ...(body && { 'content-type': 'application/json' }),
    ...(bytes && { 'content-type': bytes.type }),
    ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
  },
  ...(body && { body: JSON.stringify(body) }),
  // The cast satisfies both older and newer TypeScript versions, which type views of a SharedArrayBuffer differently.
  ...(bytes && { body: bytes.data as ArrayBuffer }),
})

type AttemptOptions = {
  signal: AbortSignal | undefined
  timeoutMs: number
  now: () => number
  asText: boolean | undefined
}

const attempt = async (
  fetch: Settings['fetch'],
  url: string,
  init: RequestInit,
  { signal, timeoutMs, now, asText }: AttemptOptions,
): Promise<unknown> => {
  signal?.throwIfAborted()
  const deadline = AbortSignal.timeout(timeoutMs)
  const combined = signal ? AbortSignal.any([signal, deadline]) : deadline
  try {
    // Redirects are not followed, so that the key is never sent to another host.
    const response = await fetch(url, { ...init, redirect: 'manual', signal: combined })
    return asText && response.ok ? await response.text() : await readResponse(response, now())
  } catch (error) {
    if (error instanceof CarabinerError) throw error
    signal?.throwIfAborted()
    throw deadline.aborted ? noResponse(timeoutMs, error) : unreachable(error)
  }
}

export const noResponse = (timeoutMs: number, cause: unknown): CarabinerError =>
  connectionError('timeout', `Carabiner did not respond within ${timeoutMs} ms.`, cause)
export const unreachable = (cause: unknown): CarabinerError =>
  connectionError(
    'network_error',
    'Carabiner cannot be reached. Check baseUrl and the network connection.',
    cause,
  )

export const connectionError = (code: ConnectionCode, message: string, cause?: unknown): CarabinerError =>
  new CarabinerError({ status: 0, type: 'connection_error', code, message, cause })

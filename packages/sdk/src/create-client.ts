import { readBaseUrl } from './base-url.ts'
import { createFollow } from './event-stream.ts'
import { streamEvents } from './events.ts'
import { putLogo } from './link-customization.ts'
import { createMethods } from './methods.ts'
import { sleep } from './retry.ts'
import {
  type ApiRequest,
  createSend,
  type Method,
  type PostOptions,
  type Runtime,
  type Settings,
} from './send.ts'

export type ClientOptions = ConnectionOptions & (KeyOptions | HeaderOptions)

type KeyOptions = {
  /** The organization's production or test key. Use it only on a server, never in a browser. */
  apiKey: string
  headers?: undefined
}

type HeaderOptions = {
  apiKey?: undefined
  /** Sent with every request instead of an API key, for example by a page of the service that has a session cookie. */
  headers: Readonly<Record<string, string>>
}

type ConnectionOptions = {
  /** URL of your Carabiner service, such as `https://connect.example.com`. */
  baseUrl: string | URL
  /** Default: the global `fetch`. */
  fetch?: typeof globalThis.fetch | undefined
  /** Timeout of each attempt. Default: 30 seconds. */
  timeoutMs?: number | undefined
  /** Maximum number of retries of requests that are safe to repeat. Default: 2. */
  retries?: number | undefined
}

export type Client = ReturnType<typeof createClient>

/** Client for the whole API. The key is not a property of the client, so printing the client does not reveal it. */
export const createClient = (options: ClientOptions) => {
  const settings = readSettings(options)
  const send = createSend(settings, runtime)
  const methods = createMethods(send)
  return {
    ...methods,
    /** Makes any request of the Carabiner API, for example of an operation that this version of the SDK does not have. The path is below `/api/v1`. */
    apiRequest: <T = unknown>(
      method: Method,
      requestPath: string,
      request?: ApiRequest,
      callOptions?: PostOptions,
    ) => send<T>(method, requestPath, callOptions, request),
    linkCustomization: { ...methods.linkCustomization, putLogo: putLogo(send) },
    events: { ...methods.events, stream: streamEvents(createFollow(settings, runtime)) },
  }
}

const runtime: Runtime = {
  now: Date.now,
  random: Math.random,
  sleep,
  newKey: () => crypto.randomUUID(),
}

const readSettings = ({
  apiKey,
  headers,
  baseUrl,
  fetch = (...args) => globalThis.fetch(...args),
  timeoutMs = 30_000,
  retries = 2,
}: ClientOptions): Settings => {
  if (!(timeoutMs > 0)) throw new RangeError('timeoutMs must be greater than 0.')
  if (!Number.isInteger(retries) || retries < 0 || retries > 10)
    throw new RangeError('retries must be an integer from 0 to 10.')
  return {
    headers: headers ?? { authorization: `Bearer ${requireKey(apiKey)}` },
    baseUrl: readBaseUrl(baseUrl),
    fetch,
    timeoutMs,
    retries,
  }
}

/** The built-in fetch would quote a key that contains a line break in its error message. */
const requireKey = (apiKey: string | undefined): string => {
  if (typeof apiKey !== 'string' || !/^[\x21-\x7e]+$/.test(apiKey))
    throw new TypeError('apiKey is missing or contains invalid characters. Copy the key again.')
  return apiKey
}

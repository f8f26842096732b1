import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { gzip } from 'node:zlib'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Log } from '../../platform/log.ts'

/** Built from `dashboard/src/render-home.tsx`. */
type Renderer = {
  renderHome: (request: {
    template: string
    path: string
    baseUrl: string
    cookies: string
    fetch: typeof fetch
    signal: AbortSignal
  }) => Promise<string | null>
}

const MAX_WAIT_MS = 2000
const MAX_CONCURRENT = 4
const HOME_PATH = /^(?:o\/[^/]+\/[^/]+\/?)?$/
const FORWARDED = ['cookie', 'host', 'user-agent', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host']

/**
 * Renders Home with its data for a signed-in person, by the code of the dashboard itself. Returns null if the path is another page,
 * nobody is signed in, or rendering fails or takes too long: the browser then renders the page, as it does all others.
 */
export const createHomeRenderer = (
  app: FastifyInstance,
  { baseUrl, log }: { baseUrl: string; log: Log },
  { folder, template }: { folder: string; template: string },
) => {
  const file = join(folder, 'server/render-home.js')
  if (!existsSync(file)) return async () => null
  let loading: Promise<Renderer> | undefined
  let running = 0
  return async (request: FastifyRequest, path: string): Promise<string | null> => {
    const { cookie } = request.headers
    if (!cookie || !HOME_PATH.test(path) || running >= MAX_CONCURRENT) return null
    running++
    try {
      // A megabyte of code, loaded when the first person needs it.
      loading ??= import(pathToFileURL(file).href) as Promise<Renderer>
      const { renderHome } = await loading
      const signal = AbortSignal.timeout(MAX_WAIT_MS)
      const rendering = renderHome({
        template,
        path,
        baseUrl,
        cookies: cookie,
        fetch: callAs(app, request),
        signal,
      })
      return await Promise.race([rendering, rejectWhenAborted(signal)])
    } catch (error) {
      log.warn({ error }, 'Home could not be rendered by the service; the browser renders it')
      return null
    } finally {
      running--
    }
  }
}

const rejectWhenAborted = (signal: AbortSignal): Promise<never> =>
  new Promise((_resolve, reject) => signal.addEventListener('abort', () => reject(signal.reason)))

/** Calls routes of this service with the cookies of a request, so that sessions, roles and limits apply as always. */
const callAs =
  (app: FastifyInstance, { headers, socket }: FastifyRequest): typeof fetch =>
  async (input, init) => {
    const { pathname, search } = new URL(input instanceof Request ? input.url : input)
    const forwarded = FORWARDED.flatMap(name => (headers[name] === undefined ? [] : [[name, headers[name]]]))
    init?.signal?.throwIfAborted()
    const response = await app.inject({
      method: 'GET',
      url: `${pathname}${search}`,
      headers: { ...Object.fromEntries(forwarded), ...Object.fromEntries(new Headers(init?.headers)) },
      ...(socket.remoteAddress !== undefined && { remoteAddress: socket.remoteAddress }),
    })
    init?.signal?.throwIfAborted()
    return new Response(new Uint8Array(response.rawPayload), {
      status: response.statusCode,
      headers: { 'content-type': String(response.headers['content-type']) },
    })
  }

const compress = promisify(gzip)
const GZIP_LEVEL = 4

export const compressHome = (document: string): Promise<Buffer> => compress(document, { level: GZIP_LEVEL })

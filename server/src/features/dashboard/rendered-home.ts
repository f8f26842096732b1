import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { pathToFileURL } from 'node:url'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import type { Log } from '../../platform/log.ts'

/** Built from `dashboard/src/render-home.tsx`. */
type Renderer = {
  renderHome: (request: {
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
const EMPTY_ROOT = '<div id="root"></div>'
/** Requests that would delay the first paint. The data is in the document, and the script is requested after the paint. */
const PRELOADS = /<link rel="(?:modulepreload|preload" href="\/dashboard\/session)"[^>]*>\s*/g
const FORWARDED = ['cookie', 'host', 'user-agent', 'x-forwarded-for', 'x-forwarded-proto', 'x-forwarded-host']

/**
 * The document of Home with its content and data, by the code of the dashboard itself. Null if the path is another page or nobody can
 * be signed in. The head is sent at once, so that the browser requests the style sheet while the data is loaded. If rendering fails or
 * takes too long, the root stays empty, and the browser renders the page as it does all others.
 */
export const createHomeRenderer = (
  app: FastifyInstance,
  { baseUrl, log }: { baseUrl: string; log: Log },
  { folder, template }: { folder: string; template: string },
): ((request: FastifyRequest, path: string) => AsyncIterable<string> | null) => {
  const file = join(folder, 'server/render-home.js')
  if (!existsSync(file)) return () => null
  const [head = '', tail = ''] = template.split(EMPTY_ROOT)
  const quickHead = head
    .replaceAll(PRELOADS, '')
    .replace(/<title>.*?<\/title>/, '<title>Home · Carabiner</title>')
  let loading: Promise<Renderer> | undefined
  let running = 0

  const render = async (request: FastifyRequest, path: string, cookies: string): Promise<string | null> => {
    running++
    try {
      // A megabyte of code, loaded when the first person needs it.
      loading ??= import(pathToFileURL(file).href) as Promise<Renderer>
      const { renderHome } = await loading
      const signal = AbortSignal.timeout(MAX_WAIT_MS)
      const rendering = renderHome({ path, baseUrl, cookies, fetch: callAs(app, request), signal })
      return await Promise.race([rendering, rejectWhenAborted(signal)])
    } catch (error) {
      log.warn({ error }, 'Home could not be rendered by the service; the browser renders it')
      return null
    } finally {
      running--
    }
  }
  return (request, path) => {
    const { cookie } = request.headers
    if (!cookie || !HOME_PATH.test(path) || running >= MAX_CONCURRENT) return null
    const rendering = render(request, path, cookie)
    return (async function* () {
      yield quickHead
      yield `${(await rendering) ?? EMPTY_ROOT}${tail}`
    })()
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

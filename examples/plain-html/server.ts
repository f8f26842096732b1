import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { buildPackages } from '../../scripts/build-packages.ts'

export type ExampleOptions = { port: number; carabinerUrl: string; linkUrl: string; apiKey: string }
export type Example = { url: string; stop: () => Promise<void> }

const PAGE_FILES = ['index.html', 'page.js', 'page.css']
const MEDIA_TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}
const packageFolder = fileURLToPath(new URL('.', import.meta.resolve('@carabiner/link')))

/** A real application takes the user from its own session. */
const SIGNED_IN = { origin_user_id: 'example-plain', origin_user_name: 'Ana Ruiz' }

export const build = (): Promise<void> => buildPackages()

/** The application's backend, which alone has the API key. */
export const startExample = async (options: ExampleOptions): Promise<Example> => {
  const { carabinerUrl, linkUrl, apiKey } = options

  const carabiner = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(carabinerUrl + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    if (!response.ok)
      throw new Error(`${method} ${path} returned ${response.status}: ${await response.text()}`)
    return response.json() as Promise<T>
  }
  /** Idempotent: the same `origin_user_id` returns the same Registered User. */
  const registeredUser = () =>
    carabiner<{ id: string; linked_connectors: string[] }>('POST', '/api/v1/registered-users', SIGNED_IN)

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://example.invalid')
    const route = `${request.method} ${pathname}`
    if (route === 'GET /api/connections')
      return sendJson(response, { connected: (await registeredUser()).linked_connectors })
    if (route === 'POST /api/link-token') {
      // Only this page may create a token for the signed-in user.
      if (request.headers['sec-fetch-site'] !== 'same-origin') return send(response, 403, 'text/plain', '')
      const { id } = await registeredUser()
      const { link_token } = await carabiner<{ link_token: string }>(
        'POST',
        `/api/registered-users/${id}/link-token`,
        {},
      )
      return sendJson(response, { link_token, link_url: linkUrl })
    }
    const path = fileOf(pathname)
    if (request.method !== 'GET' || !path) return send(response, 404, 'text/plain', 'Not found')
    send(response, 200, MEDIA_TYPES[extname(path)] ?? 'text/plain', await readFile(path))
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: unknown) => {
      console.error(error)
      send(response, 502, 'text/plain', 'Unexpected response from Carabiner. See the log.')
    })
  })
  await new Promise<void>(resolve => server.listen(options.port, 'localhost', resolve))
  return {
    url: `http://localhost:${(server.address() as AddressInfo).port}`,
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

/** Maps a URL path to a file of the page or of the built package, which needs no bundler. */
const fileOf = (pathname: string): string | null => {
  const packaged = /^\/carabiner-link\/([\w-]+\.js)$/.exec(pathname)?.[1]
  if (packaged) return join(packageFolder, packaged)
  const name = pathname === '/' ? 'index.html' : pathname.slice(1)
  return PAGE_FILES.includes(name) ? join(import.meta.dirname, name) : null
}

const send = (response: ServerResponse, status: number, type: string, body: string | Buffer): void => {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'x-content-type-options': 'nosniff',
  })
  response.end(body)
}

const sendJson = (response: ServerResponse, body: unknown): void =>
  send(response, 200, 'application/json', JSON.stringify(body))

if (import.meta.main) {
  const { CARABINER_URL = 'http://localhost:4000', CARABINER_API_KEY, PORT = '5301' } = process.env
  const { LINK_URL = `${CARABINER_URL}/link` } = process.env
  if (!CARABINER_API_KEY) {
    console.error('Set CARABINER_API_KEY to an API key of your organization. `npm start` prints a test key.')
    process.exit(1)
  }
  await build()
  const { url } = await startExample({
    port: Number(PORT),
    carabinerUrl: CARABINER_URL,
    linkUrl: LINK_URL,
    apiKey: CARABINER_API_KEY,
  })
  console.log(`Page: ${url}`)
}

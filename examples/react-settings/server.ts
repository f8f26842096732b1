import { readFile } from 'node:fs/promises'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { extname, join } from 'node:path'
import { build as buildPage } from 'vite'
import { buildPackages } from '../../scripts/build-packages.ts'

export type ExampleOptions = { port: number; carabinerUrl: string; linkUrl: string; apiKey: string }
export type Example = { url: string; stop: () => Promise<void> }

const dist = join(import.meta.dirname, 'dist')
const MEDIA_TYPES: Record<string, string> = {
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.css': 'text/css',
}
const MAX_BYTES = 1_000

/** A real application takes the user from its own session. */
const SIGNED_IN = { origin_user_id: 'example-settings', origin_user_name: 'Ana Ruiz' }

type User = { id: string; origin_user_name: string; linked_connectors: string[] }
type Connector = {
  slug: string
  name: string
  summary: string
  logo_url: string | null
  tile: { letters: string; hue: number }
}
type Credential = { credential_id: string; connector_slug: string; account: string | null; status: string }

export const build = async (): Promise<void> => {
  await buildPackages()
  await buildPage({ root: import.meta.dirname, logLevel: 'error' })
}

/** The application's backend, which alone has the API key and serves the page's requests. */
export const startExample = async (options: ExampleOptions): Promise<Example> => {
  const { carabinerUrl, linkUrl, apiKey } = options

  const carabiner = async <T>(method: string, path: string, body?: object): Promise<T> => {
    const response = await fetch(carabinerUrl + path, {
      method,
      headers: { authorization: `Bearer ${apiKey}`, ...(body && { 'content-type': 'application/json' }) },
      ...(body && { body: JSON.stringify(body) }),
    })
    const text = await response.text()
    if (!response.ok) throw new Error(`${method} ${path} returned ${response.status}: ${text}`)
    return (text === '' ? undefined : JSON.parse(text)) as T
  }

  let user: Promise<User> | undefined
  /** Idempotent: the same `origin_user_id` returns the same Registered User. */
  const registeredUser = (): Promise<User> => {
    user ??= carabiner<User>('POST', '/api/v1/registered-users', SIGNED_IN).catch((error: unknown) => {
      user = undefined
      throw error
    })
    return user
  }

  const readAccount = async () => {
    const { id } = await registeredUser()
    const [current, connectors, linked] = await Promise.all([
      carabiner<User>('GET', `/api/v1/registered-users/${id}`),
      carabiner<{ data: Connector[] }>('GET', '/api/v1/connectors?linkable_in=default'),
      credentials(),
    ])
    return {
      user: current.origin_user_name,
      link_url: linkUrl,
      connections: connectors.data.map(connector => ({
        ...connector,
        connected: current.linked_connectors.includes(connector.slug),
        account: linked.find(({ connector_slug }) => connector_slug === connector.slug)?.account ?? null,
      })),
    }
  }

  const credentials = async (): Promise<Credential[]> => {
    const { id } = await registeredUser()
    const { data } = await carabiner<{ data: Credential[] }>(
      'GET',
      `/api/v1/registered-users/${id}/credentials`,
    )
    return data.filter(({ status }) => status !== 'revoked')
  }

  /** Deletes the credential at once; the grant at the provider is revoked in the background. */
  const disconnect = async (connector: unknown) => {
    const { id } = await registeredUser()
    const matching = (await credentials()).filter(({ connector_slug }) => connector_slug === connector)
    for (const { credential_id } of matching)
      await carabiner('DELETE', `/api/v1/registered-users/${id}/credentials/${credential_id}`)
    return readAccount()
  }

  const mintToken = async (connector: unknown) => {
    const { id } = await registeredUser()
    const { link_token } = await carabiner<{ link_token: string }>(
      'POST',
      `/api/registered-users/${id}/link-token`,
      { Connector: connector },
    )
    return { link_token }
  }

  // Link needs its origin in connect-src and frame-src, and no nonce or 'unsafe-inline'. Logos are loaded from the service.
  const link = new URL(linkUrl).origin
  const policy = `default-src 'none'; script-src 'self'; style-src 'self'; img-src data: ${new URL(carabinerUrl).origin}; connect-src 'self' ${link}; frame-src ${link}; frame-ancestors 'none'; base-uri 'none'`

  const handle = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { pathname } = new URL(request.url ?? '/', 'http://example.invalid')
    const route = `${request.method} ${pathname}`
    if (route === 'GET /api/connections') return sendJson(response, await readAccount())
    if (route === 'POST /api/link-token' || route === 'POST /api/disconnect') {
      // Only this page may act for the signed-in user.
      if (request.headers['sec-fetch-site'] !== 'same-origin') return send(response, 403, 'text/plain', '')
      const { connector } = JSON.parse(await readBody(request)) as { connector: unknown }
      const act = route === 'POST /api/disconnect' ? disconnect : mintToken
      return sendJson(response, await act(connector))
    }
    const file = pathname === '/' ? 'index.html' : pathname.slice(1)
    if (request.method !== 'GET' || !/^(index\.html|assets\/[\w-]+\.\w+)$/.test(file))
      return send(response, 404, 'text/plain', 'Not found')
    response.setHeader('content-security-policy', policy)
    send(response, 200, MEDIA_TYPES[extname(file)] ?? 'text/plain', await readFile(join(dist, file)))
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

const send = (response: ServerResponse, status: number, type: string, body: string | Buffer): void => {
  response.writeHead(status, {
    'content-type': `${type}; charset=utf-8`,
    'x-content-type-options': 'nosniff',
  })
  response.end(body)
}

const sendJson = (response: ServerResponse, body: unknown): void =>
  send(response, 200, 'application/json', JSON.stringify(body))

const readBody = async (request: IncomingMessage): Promise<string> => {
  let body = ''
  for await (const chunk of request) {
    body += String(chunk)
    if (body.length > MAX_BYTES) throw new Error('the request body is too large')
  }
  return body
}

if (import.meta.main) {
  const { CARABINER_URL = 'http://localhost:4000', CARABINER_API_KEY, PORT = '5300' } = process.env
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
  console.log(`Settings page: ${url}`)
}

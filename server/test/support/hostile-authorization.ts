import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** Requests to one endpoint, in order. */
export type Visit = { step: string; url: URL; headers: IncomingMessage['headers']; body: string }
export type Answerer = (visit: Visit, response: ServerResponse) => unknown

/**
 * A local MCP server with its own authorization server. Both follow the protocol unless a test overrides a step, and record
 * every request.
 */
export type HostileAuthorization = {
  origin: string
  url: string
  /** Overrides for the published metadata. */
  metadata: Record<string, unknown>
  tools: unknown[]
  /** Overridden steps: resource, metadata, register, authorize, token, revoke, mcp:<method>. */
  play: Record<string, Answerer>
  seen: Visit[]
  visits(step: string): Visit[]
  /** Removes all overrides and recorded requests. */
  reset(): void
  stop(): Promise<void>
}

export const sendJson = (response: ServerResponse, body: unknown, status = 200): unknown =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** Redirect of a compliant authorization server. */
export const callbackUrlOf = (visit: Visit, more: Record<string, string> = {}): string => {
  const back = new URL(visit.url.searchParams.get('redirect_uri') as string)
  const parameters = { code: 'a-code', state: visit.url.searchParams.get('state') ?? '', ...more }
  for (const [name, value] of Object.entries(parameters)) back.searchParams.set(name, value)
  return back.href
}
export const sendTo =
  (address: (visit: Visit) => string): Answerer =>
  (visit, response) =>
    response.writeHead(303, { location: address(visit) }).end()

const stepOf = ({ pathname }: URL, body: string): string => {
  if (pathname.startsWith('/.well-known/oauth-protected-resource')) return 'resource'
  if (pathname.startsWith('/.well-known/oauth-authorization-server')) return 'metadata'
  if (pathname !== '/mcp') return pathname.slice(1)
  return `mcp:${body === '' ? 'none' : ((JSON.parse(body) as { method?: string }).method ?? 'answer')}`
}

const result = (visit: Visit, response: ServerResponse, value: unknown): unknown =>
  sendJson(response, { jsonrpc: '2.0', id: (JSON.parse(visit.body) as { id?: unknown }).id, result: value })

export const startHostileAuthorization = async (): Promise<HostileAuthorization> => {
  let issued = 0
  const honest: Record<string, Answerer> = {
    resource: (_, response) =>
      sendJson(response, { resource: hostile.url, authorization_servers: [hostile.origin] }),
    metadata: (_, response) =>
      sendJson(response, {
        issuer: hostile.origin,
        authorization_endpoint: `${hostile.origin}/authorize`,
        token_endpoint: `${hostile.origin}/token`,
        registration_endpoint: `${hostile.origin}/register`,
        revocation_endpoint: `${hostile.origin}/revoke`,
        code_challenge_methods_supported: ['S256'],
        token_endpoint_auth_methods_supported: ['client_secret_post'],
        authorization_response_iss_parameter_supported: true,
        ...hostile.metadata,
      }),
    register: (visit, response) =>
      sendJson(
        response,
        {
          ...(JSON.parse(visit.body) as object),
          client_id: `client-${++issued}`,
          client_secret: `secret-of-client-${issued}`,
        },
        201,
      ),
    authorize: sendTo(visit => callbackUrlOf(visit, { iss: hostile.origin })),
    token: (_, response) => {
      const n = ++issued
      sendJson(response, {
        access_token: `access-token-${n}`,
        refresh_token: `refresh-token-${n}`,
        token_type: 'Bearer',
        expires_in: 3600,
      })
    },
    revoke: (_, response) => response.writeHead(200).end(),
    'mcp:initialize': (visit, response) =>
      result(visit, response, {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'hostile', version: '1' },
      }),
    'mcp:notifications/initialized': (_, response) => response.writeHead(202).end(),
    'mcp:tools/list': (visit, response) => result(visit, response, { tools: hostile.tools }),
    'mcp:tools/call': (visit, response) =>
      result(visit, response, { content: [{ type: 'text', text: 'called' }] }),
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const url = new URL(request.url ?? '/', hostile.origin)
    const visit: Visit = { step: stepOf(url, body), url, headers: request.headers, body }
    hostile.seen.push(visit)
    response.on('error', () => undefined)
    const closed = visit.step.startsWith('mcp:') && !/^Bearer ./.test(request.headers.authorization ?? '')
    if (closed) return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    const handler = hostile.play[visit.step] ?? honest[visit.step]
    if (handler) handler(visit, response)
    else response.writeHead(404).end()
  }
  const server = createServer((request, response) => void answer(request, response))
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  const origin = `http://localhost:${(server.address() as AddressInfo).port}`
  const hostile: HostileAuthorization = {
    origin,
    url: `${origin}/mcp`,
    metadata: {},
    tools: [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }],
    play: {},
    seen: [],
    visits: step => hostile.seen.filter(visit => visit.step === step),
    reset: () => {
      hostile.metadata = {}
      hostile.play = {}
      hostile.seen = []
      hostile.tools = [{ name: 'look', description: 'Looks.', inputSchema: { type: 'object' } }]
    },
    stop: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
  return hostile
}

import { once } from 'node:events'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/** A received request. */
export type ReceivedRequest = { step: string; url: URL; headers: IncomingMessage['headers']; body: string }
export type StepHandler = (request: ReceivedRequest, response: ServerResponse) => unknown

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
  /** Handlers of overridden steps: resource, metadata, register, authorize, token, revoke, mcp:<method>. */
  handlers: Record<string, StepHandler>
  requests: ReceivedRequest[]
  requestsTo(step: string): ReceivedRequest[]
  /** Removes all overrides and recorded requests. */
  reset(): void
  stop(): Promise<void>
}

export const sendJson = (response: ServerResponse, body: unknown, status = 200): unknown =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

/** The redirect URL of a compliant authorization server. */
export const callbackUrlOf = (request: ReceivedRequest, more: Record<string, string> = {}): string => {
  const back = new URL(request.url.searchParams.get('redirect_uri') as string)
  const parameters = { code: 'a-code', state: request.url.searchParams.get('state') ?? '', ...more }
  for (const [name, value] of Object.entries(parameters)) back.searchParams.set(name, value)
  return back.href
}
export const redirectTo =
  (address: (request: ReceivedRequest) => string): StepHandler =>
  (request, response) =>
    response.writeHead(303, { location: address(request) }).end()

const stepOf = ({ pathname }: URL, body: string): string => {
  if (pathname.startsWith('/.well-known/oauth-protected-resource')) return 'resource'
  if (pathname.startsWith('/.well-known/oauth-authorization-server')) return 'metadata'
  if (pathname !== '/mcp') return pathname.slice(1)
  return `mcp:${body === '' ? 'none' : ((JSON.parse(body) as { method?: string }).method ?? 'answer')}`
}

const result = (request: ReceivedRequest, response: ServerResponse, value: unknown): unknown =>
  sendJson(response, { jsonrpc: '2.0', id: (JSON.parse(request.body) as { id?: unknown }).id, result: value })

export const startHostileAuthorization = async (): Promise<HostileAuthorization> => {
  let issued = 0
  const compliant: Record<string, StepHandler> = {
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
    register: (request, response) =>
      sendJson(
        response,
        {
          ...(JSON.parse(request.body) as object),
          client_id: `client-${++issued}`,
          client_secret: `secret-of-client-${issued}`,
        },
        201,
      ),
    authorize: redirectTo(request => callbackUrlOf(request, { iss: hostile.origin })),
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
    'mcp:initialize': (request, response) =>
      result(request, response, {
        protocolVersion: '2025-06-18',
        capabilities: { tools: {} },
        serverInfo: { name: 'hostile', version: '1' },
      }),
    'mcp:notifications/initialized': (_, response) => response.writeHead(202).end(),
    'mcp:tools/list': (request, response) => result(request, response, { tools: hostile.tools }),
    'mcp:tools/call': (request, response) =>
      result(request, response, { content: [{ type: 'text', text: 'called' }] }),
  }
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const body = Buffer.concat(chunks).toString()
    const url = new URL(request.url ?? '/', hostile.origin)
    const received: ReceivedRequest = { step: stepOf(url, body), url, headers: request.headers, body }
    hostile.requests.push(received)
    response.on('error', () => undefined)
    const unauthorized =
      received.step.startsWith('mcp:') && !/^Bearer ./.test(request.headers.authorization ?? '')
    if (unauthorized) return void response.writeHead(401, { 'www-authenticate': 'Bearer' }).end()
    const handler = hostile.handlers[received.step] ?? compliant[received.step]
    if (handler) handler(received, response)
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
    handlers: {},
    requests: [],
    requestsTo: step => hostile.requests.filter(request => request.step === step),
    reset: () => {
      hostile.metadata = {}
      hostile.handlers = {}
      hostile.requests = []
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

import { once } from 'node:events'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type Message = { id?: unknown; method?: string; params?: any; result?: unknown; error?: any }
export type Exchange = { message: Message; request: IncomingMessage; response: ServerResponse }
/** Handles one step of the protocol. Steps without a handler behave like a compliant server. */
export type StepHandler = (exchange: Exchange) => unknown

export type HostileServer = {
  url: string
  /** Handlers by the method of the message, or by the HTTP method if there is no message. */
  handlers: Record<string, StepHandler>
  /** All requests, in order. */
  requests: { step: string; headers: IncomingMessage['headers']; message: Message }[]
  reset(handlers: Record<string, StepHandler>): void
  close(): Promise<void>
}

export const TOOL = { name: 'act', description: 'Acts.', inputSchema: { type: 'object' } }

export const json = (response: ServerResponse, body: unknown, status = 200): unknown =>
  response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body))

export const result = ({ message, response }: Exchange, value: unknown): unknown =>
  json(response, { jsonrpc: '2.0', id: message.id, result: value })

export const stream = ({ response }: Exchange): ServerResponse =>
  response.writeHead(200, { 'content-type': 'text/event-stream' })

export const event = (message: unknown): string => `data: ${JSON.stringify(message)}\n\n`

const COMPLIANT_STEPS: Record<string, StepHandler> = {
  'server/discover': ({ message, response }) =>
    json(response, { jsonrpc: '2.0', id: message.id, error: { code: -32601, message: 'no' } }, 404),
  initialize: exchange => {
    exchange.response.setHeader('mcp-session-id', 'session-1')
    return result(exchange, {
      protocolVersion: '2025-11-25',
      capabilities: {},
      serverInfo: { name: 'h', version: '1' },
    })
  },
  'notifications/initialized': ({ response }) => response.writeHead(202).end(),
  'tools/list': exchange => result(exchange, { tools: [TOOL] }),
  'tools/call': exchange => result(exchange, { content: [{ type: 'text', text: 'done' }] }),
  DELETE: ({ response }) => response.writeHead(200).end(),
  answer: ({ response }) => response.writeHead(202).end(),
}

/** A local MCP server that violates the protocol in configurable ways. */
export const startHostileMcp = async (): Promise<HostileServer> => {
  const answer = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    const text = Buffer.concat(chunks).toString()
    const message = (text ? JSON.parse(text) : {}) as Message
    const step = message.method ?? (text ? 'answer' : (request.method ?? ''))
    hostile.requests.push({ step, headers: request.headers, message })
    response.on('error', () => undefined)
    const handler = hostile.handlers[step] ?? COMPLIANT_STEPS[step]
    if (handler) handler({ message, request, response })
    else response.writeHead(405).end()
  }
  const listening = await listen(createServer((request, response) => void answer(request, response)))
  const hostile: HostileServer = {
    url: `${listening.url}/mcp`,
    handlers: {},
    requests: [],
    reset: handlers => {
      hostile.handlers = handlers
      hostile.requests = []
    },
    close: () => listening.close(),
  }
  return hostile
}

export type Canary = {
  url: string
  requests: { url: string; headers: IncomingMessage['headers'] }[]
  close(): Promise<void>
}

/** A server that must not receive any request. */
export const startCanary = async (): Promise<Canary> => {
  const requests: Canary['requests'] = []
  const server = createServer((request, response) => {
    requests.push({ url: request.url ?? '', headers: request.headers })
    response.end('{}')
  })
  return { requests, ...(await listen(server)) }
}

const listen = async (server: Server): Promise<{ url: string; close(): Promise<void> }> => {
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    close: async () => {
      const closed = once(server, 'close')
      server.close()
      server.closeAllConnections()
      await closed
    },
  }
}

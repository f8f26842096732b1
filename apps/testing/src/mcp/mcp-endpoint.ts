import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

export type JsonRpcError = { code: number; message: string; data?: unknown }
export type McpResponse = { result: unknown } | { error: JsonRpcError }
export type McpRequest = { method: string; params: Record<string, unknown> }
export type McpEndpoint = { url: string; close: () => Promise<void> }

export const METHOD_NOT_FOUND = -32_601
const PARSE_ERROR = -32_700
/** The revisions that a client may request; without a session, they differ in nothing that this endpoint uses. */
const REVISIONS = ['2025-11-25', '2025-06-18', '2025-03-26']

/** Serves MCP on loopback, without sessions. `answer` gets every request except those of the lifecycle. */
export const startMcpEndpoint = (
  serverInfo: { name: string; version: string },
  answer: (request: McpRequest) => McpResponse | Promise<McpResponse>,
): Promise<McpEndpoint> => {
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    // Without GET there is no stream, and without sessions there is nothing to delete.
    if (request.method !== 'POST') return send(response, 405, undefined)
    const message = parse(await readBody(request))
    if (!message) return send(response, 400, { id: null, error: { code: PARSE_ERROR, message: 'Not JSON.' } })
    if (message.id === undefined) return send(response, 202, undefined)
    const { id, method, params } = message
    const answered = lifecycle(serverInfo, { method, params }) ?? (await answer({ method, params }))
    return send(response, 200, { id, ...answered })
  }
  return listen((request, response) => {
    respond(request, response).catch((error: Error) =>
      send(response, 500, { id: null, error: { code: -32_603, message: error.message } }),
    )
  })
}

const lifecycle = (serverInfo: object, { method, params }: McpRequest): McpResponse | null => {
  if (method === 'ping') return { result: {} }
  if (method !== 'initialize') return null
  const wanted = String(params['protocolVersion'])
  const protocolVersion = REVISIONS.includes(wanted) ? wanted : REVISIONS[0]
  return { result: { protocolVersion, capabilities: { tools: {} }, serverInfo } }
}

export const listen = async (
  handle: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<McpEndpoint> => {
  const server = createServer(handle)
  await new Promise<void>((resolve, reject) => {
    server.once('error', reject)
    server.listen(0, '127.0.0.1', resolve)
  })
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`,
    close: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

export const readBody = async (request: IncomingMessage): Promise<Buffer> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return Buffer.concat(chunks)
}

export type JsonRpcRequest = McpRequest & { id?: string | number }

/** Null for text that is not JSON, and for batches. */
export const parse = (body: Buffer): JsonRpcRequest | null => {
  try {
    const message: unknown = JSON.parse(body.toString())
    if (message === null || typeof message !== 'object' || Array.isArray(message)) return null
    const { id, method, params } = message as Partial<JsonRpcRequest>
    return { ...(id !== undefined && { id }), method: String(method), params: params ?? {} }
  } catch {
    return null
  }
}

const send = (response: ServerResponse, status: number, body: object | undefined): void => {
  if (response.headersSent) return
  response.writeHead(status, body && { 'content-type': 'application/json' })
  response.end(body && JSON.stringify({ jsonrpc: '2.0', ...body }))
}

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

type Tool = { name: string; description: string; inputSchema?: object }
type Rpc = { id?: string | number; method: string; params?: Record<string, unknown> }

/** An MCP server of the handshake revisions with configurable tools and authentication header. */
export type PlainMcp = {
  url: string
  tools: Tool[]
  /** Required header and value; null if no authentication is needed. */
  requiredHeader: [name: string, value: string] | null
  calls: { tool: string; args: unknown; meta: unknown; headers: IncomingMessage['headers'] }[]
  stop(): Promise<void>
}

const readBody = async (request: IncomingMessage): Promise<Rpc> => {
  const chunks: Buffer[] = []
  for await (const chunk of request) chunks.push(chunk as Buffer)
  return JSON.parse(Buffer.concat(chunks).toString() || '{"method":""}') as Rpc
}

export const startPlainMcp = async (): Promise<PlainMcp> => {
  const answer = (plain: PlainMcp, { method, params = {} }: Rpc, headers: IncomingMessage['headers']) => {
    switch (method) {
      case 'initialize':
        return {
          protocolVersion: '2025-06-18',
          capabilities: { tools: {} },
          serverInfo: { name: 'plain', version: '1' },
        }
      case 'tools/list':
        return { tools: plain.tools.map(tool => ({ inputSchema: { type: 'object' }, ...tool })) }
      case 'tools/call': {
        const { _meta: meta } = params
        plain.calls.push({ tool: String(params.name), args: params.arguments, meta, headers })
        return { content: [{ type: 'text', text: `called ${String(params.name)}` }] }
      }
      default:
        return null
    }
  }
  const respond = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const send = (status: number, body: unknown): void => {
      response.writeHead(status, { 'content-type': 'application/json' })
      response.end(body === undefined ? '' : JSON.stringify(body))
    }
    if (request.method !== 'POST') return send(405, undefined)
    const rpc = await readBody(request)
    const [name, value] = plain.requiredHeader ?? []
    if (name && request.headers[name] !== value) return send(401, { error: 'no' })
    if (rpc.id === undefined) return send(202, undefined)
    const result = answer(plain, rpc, request.headers)
    if (result) return send(200, { jsonrpc: '2.0', id: rpc.id, result })
    return send(200, { jsonrpc: '2.0', id: rpc.id, error: { code: -32601, message: 'no such method' } })
  }
  const server = createServer((request, response) => void respond(request, response))
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const plain: PlainMcp = {
    url: `http://localhost:${(server.address() as AddressInfo).port}/mcp`,
    tools: [{ name: 'look', description: 'Looks.' }],
    requiredHeader: null,
    calls: [],
    stop: () =>
      new Promise(resolve => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
  return plain
}

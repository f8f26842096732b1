import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'

/**
 * A minimal MCP server: one tool, no sessions, plain JSON responses, a check of the bearer token. It supports the stateless revision
 * and those with sessions, so that every subject can use the one it prefers. The same tool is also available as an HTTP API.
 */
type Rpc = { id?: string | number; method: string; params?: Params }
type Params = { arguments?: { text?: string }; protocolVersion?: string }

const TOOL = {
  name: 'echo',
  description: 'Returns the text.',
  inputSchema: {
    type: 'object',
    properties: { text: { type: 'string' } },
    required: ['text'],
    additionalProperties: false,
  },
}
const INFO = { capabilities: { tools: {} }, serverInfo: { name: 'trivial', version: '1' } }
const STATELESS_FIELDS = { resultType: 'complete', ttlMs: 0, cacheScope: 'private' }

const resultOf = ({ method, params }: Rpc): object | null => {
  switch (method) {
    case 'server/discover':
      return { supportedVersions: ['2026-07-28', '2025-11-25'], ...INFO, ...STATELESS_FIELDS }
    case 'initialize':
      return { protocolVersion: params?.protocolVersion, ...INFO }
    case 'tools/list':
      return { tools: [TOOL], ...STATELESS_FIELDS }
    case 'tools/call':
      return { content: [{ type: 'text', text: params?.arguments?.text ?? '' }] }
    default:
      return null
  }
}

const respond = (request: IncomingMessage, response: ServerResponse, text: string): void => {
  const send = (status: number, body?: unknown): void => {
    const content = body === undefined ? '' : JSON.stringify(body)
    response.writeHead(status, {
      'content-type': 'application/json',
      'content-length': Buffer.byteLength(content),
    })
    response.end(content)
  }
  if (!request.headers.authorization?.startsWith('Bearer bench-')) return send(401, { error: 'unauthorized' })
  if (request.url?.startsWith('/api/')) return send(200, { text: 'hello', account: 'ana@example.com' })
  if (request.method !== 'POST') return send(405)
  const rpc = JSON.parse(text) as Rpc
  if (rpc.id === undefined) return send(202)
  const result = resultOf(rpc)
  if (result) return send(200, { jsonrpc: '2.0', id: rpc.id, result })
  return send(200, { jsonrpc: '2.0', id: rpc.id, error: { code: -32601, message: 'method not found' } })
}

const server = createServer((request, response) => {
  let text = ''
  request.setEncoding('utf8')
  request.on('data', chunk => (text += chunk))
  request.on('end', () => respond(request, response, text))
})
server.listen(0, '127.0.0.1', () => {
  process.on('SIGTERM', () => process.exit(0))
  process.stdout.write(`ready at http://localhost:${(server.address() as AddressInfo).port}\n`)
})

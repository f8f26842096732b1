// A minimal gateway with the official SDK as client and server. It keeps one upstream session and one session per caller, and sends
// plain JSON responses.
import { randomUUID } from 'node:crypto'
import { createServer } from 'node:http'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { Server } from '@modelcontextprotocol/sdk/server/index.js'
import { StreamableHTTPServerTransport } from '@modelcontextprotocol/sdk/server/streamableHttp.js'
import { CallToolRequestSchema, ListToolsRequestSchema } from '@modelcontextprotocol/sdk/types.js'

const [upstream, authorization] = process.argv.slice(2)
const identity = { name: 'sdk-proxy', version: '1' }

const client = new Client(identity)
await client.connect(
  new StreamableHTTPClientTransport(new URL(upstream), { requestInit: { headers: { authorization } } }),
)

const sessions = new Map()

const openSession = async () => {
  const transport = new StreamableHTTPServerTransport({
    sessionIdGenerator: randomUUID,
    enableJsonResponse: true,
    onsessioninitialized: id => void sessions.set(id, transport),
  })
  const server = new Server(identity, { capabilities: { tools: {} } })
  server.setRequestHandler(ListToolsRequestSchema, ({ params }) => client.listTools(params))
  server.setRequestHandler(CallToolRequestSchema, ({ params }) => client.callTool(params))
  await server.connect(transport)
  return transport
}

const handle = async (request, response) => {
  const existing = sessions.get(request.headers['mcp-session-id'])
  const transport = existing ?? (await openSession())
  await transport.handleRequest(request, response)
}

const server = createServer((request, response) => {
  handle(request, response).catch(error => response.writeHead(500).end(String(error)))
})
server.listen(0, '127.0.0.1', () => {
  process.on('SIGTERM', () => process.exit(0))
  process.stdout.write(`ready at http://127.0.0.1:${server.address().port}/mcp\n`)
})

// mcp-proxy as a library in front of an HTTP server, because its command only supports stdio servers. Like the command, it uses one
// upstream session for all callers. Plain JSON responses without an event store are its fastest configuration.
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { Server } from '@modelcontextprotocol/server'
import { proxyServer, startHTTPServer } from 'mcp-proxy'

const [upstream, authorization, port] = process.argv.slice(2)
const identity = { name: 'mcp-proxy', version: '1' }

const client = new Client(identity)
await client.connect(
  new StreamableHTTPClientTransport(new URL(upstream), { requestInit: { headers: { authorization } } }),
)

await startHTTPServer({
  host: '127.0.0.1',
  port: Number(port),
  sseEndpoint: null,
  eventStore: false,
  enableJsonResponse: true,
  createServer: async () => {
    const capabilities = client.getServerCapabilities() ?? {}
    const server = new Server(identity, { capabilities })
    await proxyServer({ client, server, serverCapabilities: capabilities })
    return server
  },
})
process.on('SIGTERM', () => process.exit(0))
process.stdout.write(`ready at http://127.0.0.1:${port}/mcp\n`)

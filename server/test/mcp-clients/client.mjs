import { serve } from './serve.mjs'

const { MCP_ADDRESS: address, MCP_KEY: key } = process.env

// snippet
import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'

const client = new Client({ name: 'my-agent', version: '1.0.0' }, { versionNegotiation: { mode: 'auto' } })
const headers = { authorization: `Bearer ${key}` }
await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }))

const listTools = async () => (await client.listTools()).tools
const callTool = (name, args) => client.callTool({ name, arguments: args })
// end

await serve({
  list: async () => (await listTools()).map(({ name }) => name),
  call: ({ name, args }) => callTool(name, args),
})

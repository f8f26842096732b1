import { serve } from './serve.mjs'

const { MCP_ADDRESS: address, MCP_KEY: key } = process.env

// snippet
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'

const client = new Client({ name: 'my-agent', version: '1.0.0' })
const headers = { authorization: `Bearer ${key}` }
await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }))

const listTools = async (cursor, known = []) => {
  const { tools, nextCursor } = await client.listTools({ cursor })
  return nextCursor ? listTools(nextCursor, [...known, ...tools]) : [...known, ...tools]
}
const callTool = (name, args) => client.callTool({ name, arguments: args })
// end

await serve({
  list: async () => (await listTools()).map(({ name }) => name),
  call: ({ name, args }) => callTool(name, args),
})

import { serve } from './serve.mjs'

const { MCP_ADDRESS: address, MCP_KEY: key } = process.env

// snippet
import { createMCPClient } from '@ai-sdk/mcp'

const headers = { authorization: `Bearer ${key}` }
const client = await createMCPClient({ transport: { type: 'http', url: address, headers } })
const tools = await client.tools()
// end

await serve({
  list: () => Object.keys(tools),
  call: ({ name, args }) => tools[name].execute(args, { toolCallId: '1', messages: [] }),
})

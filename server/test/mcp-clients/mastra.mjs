import { serve } from './serve.mjs'

const { MCP_ADDRESS: address, MCP_KEY: key } = process.env

// snippet
import { MCPClient } from '@mastra/mcp'

const client = new MCPClient({
  servers: {
    carabiner: { url: new URL(address), requestInit: { headers: { authorization: `Bearer ${key}` } } },
  },
})
const { carabiner: tools } = await client.listToolsets()
// end

await serve({
  list: () => Object.keys(tools),
  call: ({ name, args }) => tools[name].execute(args, {}),
})

import { serve } from './serve.mjs'

const { MCP_ADDRESS: address, MCP_KEY: key } = process.env

// snippet
import { MultiServerMCPClient } from '@langchain/mcp-adapters'

const client = new MultiServerMCPClient({
  mcpServers: { carabiner: { url: address, headers: { authorization: `Bearer ${key}` } } },
})
const tools = await client.getTools()
// end

const named = wanted => tools.find(({ name }) => name === wanted)

await serve({
  list: () => tools.map(({ name }) => name),
  call: async ({ name, args }) => {
    const { content, status } = await named(name).invoke({ type: 'tool_call', id: '1', name, args })
    return { content, status }
  },
})

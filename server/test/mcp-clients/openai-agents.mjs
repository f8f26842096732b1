import { RunContext } from '@openai/agents'
import { serve } from './serve.mjs'

const { MCP_ADDRESS: address, MCP_KEY: key } = process.env

// snippet
import { Agent, MCPServerStreamableHttp } from '@openai/agents'

const headers = { authorization: `Bearer ${key}` }
const server = new MCPServerStreamableHttp({ name: 'carabiner', url: address, requestInit: { headers } })
await server.connect()
const agent = new Agent({ name: 'My agent', mcpServers: [server] })
// end

const tools = await agent.getMcpTools(new RunContext())
const named = wanted => tools.find(({ name }) => name === wanted)
await serve({
  list: () => tools.map(({ name }) => name),
  call: ({ name, args }) => named(name).invoke(new RunContext(), JSON.stringify(args)),
})

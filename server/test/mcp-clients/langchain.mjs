import { serve } from './serve.mjs'

const { MCP_ADDRESS: address, MCP_KEY: key, FIND_AUTHENTICATE_META: detection } = process.env
const { findAuthenticateMeta } = await import(detection)

// snippet
import { MultiServerMCPClient } from '@langchain/mcp-adapters'

const client = new MultiServerMCPClient({
  mcpServers: { carabiner: { url: address, headers: { authorization: `Bearer ${key}` } } },
})
const tools = await client.getTools()

/** Runs the tool calls of a model's message. */
const callTools = async calls => {
  const named = wanted => tools.find(({ name }) => name === wanted)
  const messages = await Promise.all(calls.map(call => named(call.name).invoke(call)))
  return { messages, meta: findAuthenticateMeta({ messages }) }
}
// end

await serve({
  list: () => tools.map(({ name }) => name),
  call: async ({ name, args }) => {
    const { messages, meta } = await callTools([{ type: 'tool_call', id: '1', name, args }])
    const [{ content, status }] = messages
    return { content, status, detected: meta }
  },
})

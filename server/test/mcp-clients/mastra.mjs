import { serve } from './serve.mjs'

const { MCP_ADDRESS: address, MCP_KEY: key, FIND_AUTHENTICATE_META: detection } = process.env
const { findAuthenticateMeta } = await import(detection)

// snippet
import { MCPClient } from '@mastra/mcp'

const client = new MCPClient({
  servers: {
    carabiner: { url: new URL(address), requestInit: { headers: { authorization: `Bearer ${key}` } } },
  },
})
const { carabiner: tools } = await client.listToolsets()

const callTool = async (name, args) => {
  const result = await tools[name].execute(args, {})
  return { result, meta: findAuthenticateMeta(result) }
}
// end

await serve({
  list: () => Object.keys(tools),
  call: async ({ name, args }) => {
    const { result, meta } = await callTool(name, args)
    return { ...result, detected: meta }
  },
})

// mcp-remote connects the URL with a client that supports only local servers: here the official one.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { serve } from './serve.mjs'

const { MCP_ADDRESS: address, MCP_KEY: key, PATH, HOME } = process.env
const configuration = readFileSync(join(import.meta.dirname, 'mcp-remote.json'), 'utf8')
  .replace('{address}', address)
  .replace('{key}', key)
const { command, args, env } = JSON.parse(configuration).mcpServers.carabiner

const client = new Client({ name: 'local-client', version: '1.0.0' })
await client.connect(
  new StdioClientTransport({ command, args, env: { PATH, HOME, ...env }, stderr: 'ignore' }),
)

const listTools = async (cursor, known = []) => {
  const { tools, nextCursor } = await client.listTools({ cursor })
  return nextCursor ? listTools(nextCursor, [...known, ...tools]) : [...known, ...tools]
}
await serve({
  list: async () => (await listTools()).map(({ name }) => name),
  call: ({ name, args: given }) => client.callTool({ name, arguments: given }),
  close: () => client.close(),
})

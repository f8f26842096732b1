// mcp-remote prints the address at which the person signs in, and listens for the redirect itself.
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StdioClientTransport } from '@modelcontextprotocol/sdk/client/stdio.js'
import { send, serve } from './serve.mjs'

const { MCP_ADDRESS: address, PATH, HOME } = process.env
const transport = new StdioClientTransport({
  command: 'npx',
  args: ['mcp-remote', address, '--auth-timeout', '300'],
  env: { PATH, HOME },
  stderr: 'pipe',
})
let printed = ''
transport.stderr?.on('data', chunk => {
  printed += String(chunk)
  const [url] = /https?:\/\/\S+\/authorize\?\S+(?=\s)/.exec(printed) ?? []
  if (!url) return
  printed = ''
  send({ event: 'authorize', url })
})
const client = new Client({ name: 'local-client', version: '1.0.0' })
const connected = client.connect(transport)
connected.catch(() => undefined)

await serve({
  list: async () => {
    await connected
    return (await client.listTools()).tools.map(({ name }) => name)
  },
  close: () => client.close(),
})

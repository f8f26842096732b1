// A server of revision 2026-07-28 built with the official packages. `--dual` also serves the handshake revisions.
import { createServer } from 'node:http'
import { toNodeHandler } from '@modelcontextprotocol/node'
import { createMcpHandler, inputRequired, McpServer } from '@modelcontextprotocol/server'
import { z } from 'zod'

const build = () => {
  const server = new McpServer({ name: 'stateless', title: 'Stateless', version: '1.2.3' })
  server.registerTool(
    'add',
    { description: 'Adds two numbers.', inputSchema: z.object({ a: z.number(), b: z.number() }) },
    ({ a, b }) => ({ content: [{ type: 'text', text: String(a + b) }], structuredContent: { sum: a + b } }),
  )
  server.registerTool(
    'route',
    {
      description: 'Returns the region of its route.',
      inputSchema: z.object({ region: z.string().meta({ 'x-mcp-header': 'Region' }) }),
    },
    ({ region }) => ({ content: [{ type: 'text', text: region }] }),
  )
  server.registerTool(
    'ask',
    { description: 'Requires input from the user.', inputSchema: z.object({}) },
    () => inputRequired({ requestState: 'resume-here' }),
  )
  server.registerTool('fail', { description: 'Fails.', inputSchema: z.object({}) }, () => ({
    content: [{ type: 'text', text: 'it did not work' }],
    isError: true,
  }))
  return server
}

const legacy = process.argv.includes('--dual') ? 'stateless' : 'reject'
const handle = toNodeHandler(createMcpHandler(build, { legacy }))
createServer((request, response) => handle(request, response)).listen(
  Number(process.env.PORT),
  '127.0.0.1',
  () => process.stdout.write('listening\n'),
)

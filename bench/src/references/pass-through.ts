import Fastify from 'fastify'
import { Pool } from 'undici'

/**
 * A minimal gateway: Fastify reads the request, and undici forwards it with the relevant headers. It does not authenticate callers,
 * makes no decisions and stores nothing.
 */
const [upstream = ''] = process.argv.slice(2)
const { origin, pathname } = new URL(upstream)
const pool = new Pool(origin, { connections: 64 })
const app = Fastify({ logger: false })

const FORWARDED = [
  'accept',
  'authorization',
  'content-type',
  'mcp-protocol-version',
  'mcp-method',
  'mcp-name',
] as const

app.post('/mcp', async (request, reply) => {
  const headers: Record<string, string> = {}
  for (const name of FORWARDED) {
    const value = request.headers[name]
    if (typeof value === 'string') headers[name] = value
  }
  const response = await pool.request({
    path: pathname,
    method: 'POST',
    headers,
    body: JSON.stringify(request.body),
  })
  return reply
    .code(response.statusCode)
    .type(String(response.headers['content-type'] ?? 'application/json'))
    .send(await response.body.text())
})

const address = await app.listen({ host: '127.0.0.1', port: 0 })
process.on('SIGTERM', () => process.exit(0))
process.stdout.write(`ready at ${address}/mcp\n`)

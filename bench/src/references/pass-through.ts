import Fastify from 'fastify'
import { Pool } from 'undici'

/**
 * The least a gateway can be: Fastify reads the body, undici sends it on with the headers that matter, and the answer goes back. It
 * knows nobody, decides nothing and writes nothing down.
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
  const answer = await pool.request({
    path: pathname,
    method: 'POST',
    headers,
    body: JSON.stringify(request.body),
  })
  return reply
    .code(answer.statusCode)
    .type(String(answer.headers['content-type'] ?? 'application/json'))
    .send(await answer.body.text())
})

const address = await app.listen({ host: '127.0.0.1', port: 0 })
process.on('SIGTERM', () => process.exit(0))
process.stdout.write(`ready at ${address}/mcp\n`)

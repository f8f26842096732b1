import Fastify from 'fastify'
import { Secret } from '../../../server/src/core/secret.ts'
import { hashToken, parseToken } from '../../../server/src/core/token.ts'
import { apiKeyStore } from '../../../server/src/features/organizations/api-key-store.ts'
import { openPostgres } from '../../../server/src/platform/database/postgres/postgres.ts'

/** The minimum cost of a request to this API: the framework, the database driver and one lookup of the API key. */
const [url = '', poolSize = '8'] = process.argv.slice(2)
const db = await openPostgres({
  url: new Secret(url),
  poolSize: Number(poolSize),
  onIdleError: () => undefined,
})
const app = Fastify({ logger: false })

app.post('/', async (request, reply) => {
  const token = parseToken('testKey', request.headers.authorization?.slice('Bearer '.length) ?? '')
  const [owner] = token ? await apiKeyStore.owners(db, [hashToken(token)]) : []
  return owner ? { organization_id: owner.organizationId } : reply.code(401).send({})
})

const address = await app.listen({ host: '127.0.0.1', port: 0 })
process.on('SIGTERM', () => process.exit(0))
process.stdout.write(`ready at ${address}\n`)

import type { FastifyInstance } from 'fastify'
import type { Readiness } from '../platform/health/readiness.ts'

const RETRY_SECONDS = '2'

/** `/livez`: the process responds. `/readyz`: it can serve requests. */
export const healthRoutes = (app: FastifyInstance, readiness: Readiness): void => {
  app.get('/livez', async () => ({ status: 'ok' }))
  app.get('/readyz', async (_request, reply) => {
    const report = await readiness.read()
    reply.header('cache-control', 'no-store')
    if (report.status !== 'ready') reply.code(503).header('retry-after', RETRY_SECONDS)
    return report
  })
}

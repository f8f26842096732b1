import type { FastifyInstance } from 'fastify'
import { organizationTopic, type WakeUps } from '../platform/jobs/wake-ups.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** The route cannot change which tools a caller has, so open streams are not woken. For frequent calls. */
    skipsWakeUp?: boolean
  }
}

/**
 * After each change by API, wakes open streams on every node to check whether their key, user and tool list are still
 * valid.
 */
export const wakeListeners = (api: FastifyInstance, wakeUps: WakeUps): void => {
  api.addHook('onResponse', async (request, reply) => {
    const changed = !['GET', 'HEAD'].includes(request.method) && reply.statusCode < 300
    if (changed && !request.routeOptions.config.skipsWakeUp)
      wakeUps.wake(organizationTopic(request.principal.organizationId))
  })
}

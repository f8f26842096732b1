import type { FastifyInstance } from 'fastify'
import { organizationTopic, type WakeUps } from '../platform/jobs/wake-ups.ts'

declare module 'fastify' {
  interface FastifyContextConfig {
    /** Changes nothing of which tools a caller has, so that nobody who listens is woken. For what is called often. */
    wakesNobody?: boolean
  }
}

/** After each change by API: streams that are open on any node look whether their key, user and list of tools still stand. */
export const tellListeners = (api: FastifyInstance, wakeUps: WakeUps): void => {
  api.addHook('onResponse', async (request, reply) => {
    const changed = !['GET', 'HEAD'].includes(request.method) && reply.statusCode < 300
    if (changed && !request.routeOptions.config.wakesNobody)
      wakeUps.wake(organizationTopic(request.principal.organizationId))
  })
}

import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { Refusal } from '../core/refusal.ts'

/** Records the methods of each path, so that a wrong method (405) is distinguished from a wrong path (404). */
export const collectAddresses = (
  app: FastifyInstance,
): ((request: FastifyRequest, reply: FastifyReply) => never) => {
  const known: { pattern: RegExp; methods: string[] }[] = []
  app.addHook('onRoute', route => {
    const source = route.url
      .replace(/[.*+?^${}()|[\]\\]/g, '\\$&')
      .replace(/:[A-Za-z_]+/g, '[^/]+')
      .replaceAll('\\*', '.+')
    const methods = Array.isArray(route.method) ? route.method : [route.method]
    known.push({ pattern: new RegExp(`^${source.replace(/\/+$/, '')}/?$`), methods })
  })
  return request => {
    const path = request.url.split('?')[0] ?? ''
    const allow = [
      ...new Set(known.filter(({ pattern }) => pattern.test(path)).flatMap(({ methods }) => methods)),
    ].toSorted()
    if (allow.length > 0) throw new Refusal('method_not_allowed', { allow })
    throw new Refusal('not_found')
  }
}

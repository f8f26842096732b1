import { isLoopbackHost } from '@carabiner/contract/loopback'
import type { FastifyReply, FastifyRequest, HookHandlerDoneFunction } from 'fastify'

/** Headers of every response: no caching, sniffing, framing or referrer. */
export const securityHeaders = (baseUrl: string) => {
  const { protocol, hostname } = new URL(baseUrl)
  // Browsers would apply it to every program on this machine that uses localhost.
  const isStrict = protocol === 'https:' && !isLoopbackHost(hostname)
  return (request: FastifyRequest, reply: FastifyReply, done: HookHandlerDoneFunction): void => {
    reply.header('x-request-id', request.id)
    reply.header('cache-control', 'no-store')
    reply.header('x-content-type-options', 'nosniff')
    reply.header('referrer-policy', 'no-referrer')
    if (isStrict) reply.header('strict-transport-security', 'max-age=31536000; includeSubDomains')
    done()
  }
}

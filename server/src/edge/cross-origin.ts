import type { FastifyReply, FastifyRequest } from 'fastify'
import { HOUR, SECOND } from '../core/duration.ts'
import type { Api } from './api.ts'

/** Headers that a page may read besides the usual ones: the challenge of a 401 response, and what clients repeat or report. */
const EXPOSED_HEADERS = 'www-authenticate, mcp-session-id, retry-after, x-request-id'
const PREFLIGHT_MAX_AGE_SECONDS = (2 * HOUR) / SECOND

/**
 * Lets pages of all origins call the routes of a scope, such as an MCP client that runs in a browser. Only for routes that read no
 * cookie: a page then can do no more than any program that can reach the service.
 */
export const allowAllOrigins = (scope: Pick<Api, 'addHook' | 'options'>, paths: string[]): void => {
  scope.addHook('onRequest', async (_request: FastifyRequest, reply: FastifyReply) => {
    reply.header('access-control-allow-origin', '*')
    reply.header('access-control-expose-headers', EXPOSED_HEADERS)
  })
  for (const path of paths)
    scope.options(path, async ({ headers }, reply) =>
      reply
        .header('access-control-allow-methods', 'GET, POST')
        // A wildcard would not include `authorization`.
        .header('access-control-allow-headers', headers['access-control-request-headers'] ?? 'authorization')
        .header('access-control-max-age', PREFLIGHT_MAX_AGE_SECONDS)
        .code(204)
        .send(),
    )
}

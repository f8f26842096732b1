import type { FramedConnections } from '@carabiner/contract'
import type { FastifyInstance } from 'fastify'
import { hashSecret } from '../../../core/hash-secret.ts'
import { isServed } from '../../../core/organization-state.ts'
import { Refusal } from '../../../core/refusal.ts'
import { hashToken, parseToken, routingCodeOf } from '../../../core/token.ts'
import { sendError } from '../../../edge/errors.ts'
import { webOrigins } from '../../pages/page-response.ts'
import type { PageDeps } from '../pages/page-deps.ts'
import { connectionsHandle } from '../sessions/connections-handle.ts'
import { connectionsLinkStanding } from './connections-link.ts'
import { connectionsLinkStore } from './connections-link-store.ts'

/**
 * `POST {link_url}/connections/<token>/frame`, for the embedding component: binds the link to a frame of an allowed origin, and returns
 * the address of the frame.
 */
export const connectionsFrame = (app: FastifyInstance, deps: PageDeps, path: string): void => {
  const { db, signer, linkUrl } = deps
  void app.register(async scriptRoutes => {
    scriptRoutes.setErrorHandler((error, request, reply) => {
      // Error responses contain no data of a link, so any origin may read them.
      const { origin } = request.headers
      if (typeof origin === 'string')
        reply.header('access-control-allow-origin', origin).header('vary', 'Origin')
      return sendError(deps.baseUrl, deps.log)(error, request, reply)
    })
    // The component's request needs no preflight, but an application may add headers to all of its requests.
    scriptRoutes.options(
      `${path}/:token/frame`,
      { config: { forScripts: true } },
      async ({ headers }, reply) =>
        reply
          .header('access-control-allow-origin', headers.origin ?? '*')
          .header('access-control-allow-headers', headers['access-control-request-headers'] ?? 'accept')
          .header('vary', 'Origin')
          .code(204)
          .send(),
    )
    scriptRoutes.post(
      `${path}/:token/frame`,
      { config: { forScripts: true } },
      async (request, reply): Promise<FramedConnections> => {
        const token = parseToken('connectionsLink', (request.params as { token: string }).token)
        const link = token && (await connectionsLinkStore.findBySecret(db, hashToken(token)))
        if (!link || !isServed(link.organizationState)) {
          await deps.checkRoutingCode(token && routingCodeOf(token))
          throw new Refusal('invalid_link_token')
        }
        const origin = request.headers.origin ?? ''
        if (!webOrigins(link).includes(origin))
          throw new Refusal('unauthorized_origin', {
            message: `Unauthorized origin: ${origin || 'none'} is not on the list of allowed callback origins.`,
          })
        reply.header('access-control-allow-origin', origin).header('vary', 'Origin')
        const status = connectionsLinkStanding(link.facts)
        // Follows from the token, so that the component can repeat the request.
        const key = signer.sign('connections-frame', token).toString('base64url')
        if (status === 'open' && !(await connectionsLinkStore.bind(db, link, hashSecret(key))))
          throw new Refusal('connections_link_used')
        return { url: `${linkUrl}/connections/${connectionsHandle(signer, link)}?frame=${key}`, status }
      },
    )
  })
}

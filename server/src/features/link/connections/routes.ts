import { ConnectionsLink, FoundLink, LinkSearch } from '@carabiner/contract'
import { Type } from 'typebox'
import type { Api } from '../../../edge/api.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Signer } from '../../../platform/vault/vault.ts'
import { CONNECTIONS_LINK_TTL_MS } from './connections-link.ts'
import { findLink } from './find-link.ts'
import { mintConnectionsLink } from './mint-connections-link.ts'

type Deps = { db: Database; signer: Signer; linkUrl: string }

export const connectionsLinkRoutes = (api: Api, deps: Deps): void => {
  api.post(
    '/registered-users/:id/connections-link',
    {
      config: {
        skipsWakeUp: true,
        idempotency: CONNECTIONS_LINK_TTL_MS,
        audit: false,
        errors: ['registered_user_not_found', 'user_inactive'],
      },
      schema: {
        summary: 'Create a link to the page My connections',
        description:
          'On this page the user sees, pauses, reconnects and disconnects their own accounts. The link works for 30 minutes, in one browser.',
        tags: ['Linking'],
        params: Type.Object({ id: Type.String() }),
        response: { 201: ConnectionsLink },
      },
    },
    async (request, reply) =>
      reply.code(201).send(await mintConnectionsLink(deps, request.principal, request.params.id)),
  )

  api.post(
    '/links/find',
    {
      config: {
        permission: 'read',
        skipsWakeUp: true,
        idempotency: false,
        audit: false,
        errors: ['link_not_found'],
      },
      schema: {
        summary: 'Find the user of a link',
        description:
          'For support: takes a magic link, a link token, or the address of a page of Link or My connections. Nothing is opened, consumed or stored.',
        tags: ['Linking'],
        body: LinkSearch,
        response: { 200: FoundLink },
      },
    },
    request => findLink(deps, request.principal, request.body.url),
  )
}

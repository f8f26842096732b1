import { type Grant, Grants, Page } from '@carabiner/contract'
import { Type } from 'typebox'
import { parsePage, toPage } from '../../../core/cursor.ts'
import { Refusal } from '../../../core/refusal.ts'
import { isUuid } from '../../../core/uuid.ts'
import type { Api } from '../../../edge/api.ts'
import type { Principal } from '../../../edge/principal.ts'
import type { Database } from '../../../platform/database/database.ts'
import { type GrantOwner, grantStore, type StoredGrant } from './grant-store.ts'
import { endGrant } from './issue-tokens.ts'

const tags = ['Sign-in']
const UserPath = Type.Object({ id: Type.String() })
const GrantPath = Type.Object({ id: Type.String(), grant_id: Type.String() })

/** The MCP clients that a user has signed in with. */
export const grantRoutes = (api: Api, { db }: { db: Database }): void => {
  const requireUser = async (owner: GrantOwner): Promise<void> => {
    if (!(await grantStore.findUser(db, owner))) throw new Refusal('registered_user_not_found')
  }

  api.get(
    '/registered-users/:id/grants',
    {
      config: { errors: ['registered_user_not_found', 'invalid_cursor'] },
      schema: {
        summary: 'List the MCP clients that a Registered User has allowed',
        description: 'Clients that the user has signed in with at `{base_url}/mcp/{handle}`.',
        tags,
        params: UserPath,
        querystring: Page.Query,
        response: { 200: Grants },
      },
    },
    async request => {
      const owner = ownerOf(request.principal, request.params.id)
      const { limit, after } = parsePage(request.query)
      await requireUser(owner)
      const page = toPage(await grantStore.list(db, owner, { after, limit: limit + 1 }), limit)
      return { ...page, data: page.data.map(showGrant) }
    },
  )

  api.delete(
    '/registered-users/:id/grants/:grant_id',
    {
      config: {
        errors: ['registered_user_not_found', 'grant_not_found'],
        audit: { action: 'grant.revoked', target: 'params.grant_id', registeredUser: 'params.id' },
      },
      schema: {
        summary: 'Revoke a grant; its tokens stop working at once',
        tags,
        params: GrantPath,
        response: { 204: Type.Null() },
      },
    },
    async (request, reply) => {
      const { id, grant_id: grantId } = request.params
      const owner = ownerOf(request.principal, id)
      if (!isUuid(grantId) || !(await endGrant(db, owner, grantId, 'revoked'))) {
        await requireUser(owner)
        throw new Refusal('grant_not_found')
      }
      return reply.code(204).send(null)
    },
  )
}

const ownerOf = ({ organizationId, mode }: Principal, id: string): GrantOwner => {
  if (!isUuid(id)) throw new Refusal('registered_user_not_found')
  return { organizationId, mode, registeredUserId: id }
}

const showGrant = (grant: StoredGrant): Grant => ({
  id: grant.id,
  registered_user_id: grant.registeredUserId,
  tool_pack_id: grant.toolPackId,
  client_id: grant.clientId,
  client_name: grant.clientName,
  created_at: grant.createdAt.toISOString(),
  last_used_at: grant.lastUsedAt.toISOString(),
  expires_at: grant.expiresAt.toISOString(),
})

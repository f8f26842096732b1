import { type Grant } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import { parsePage, toPage } from '../../../core/cursor.ts'
import { Refusal } from '../../../core/refusal.ts'
import { isUuid } from '../../../core/uuid.ts'
import type { Api } from '../../../edge/api.ts'
import type { Principal } from '../../../edge/principal.ts'
import { serve } from '../../../edge/serve.ts'
import type { Database } from '../../../platform/database/database.ts'
import { type GrantOwner, grantStore, type StoredGrant } from './grant-store.ts'
import { endGrant } from './issue-tokens.ts'

/** The MCP clients that a user has signed in with. */
export const grantRoutes = (api: Api, { db }: { db: Database }): void => {
  const requireUser = async (owner: GrantOwner): Promise<void> => {
    if (!(await grantStore.findUser(db, owner))) throw new Refusal('registered_user_not_found')
  }

  serve(api, operations.listGrants, async request => {
    const owner = ownerOf(request.principal, request.params.id)
    const { limit, after } = parsePage(request.query)
    await requireUser(owner)
    const page = toPage(await grantStore.list(db, owner, { after, limit: limit + 1 }), limit)
    return { ...page, data: page.data.map(showGrant) }
  })

  serve(api, operations.revokeGrant, async request => {
    const { id, grant_id: grantId } = request.params
    const owner = ownerOf(request.principal, id)
    if (!isUuid(grantId) || !(await endGrant(db, owner, grantId, 'revoked'))) {
      await requireUser(owner)
      throw new Refusal('grant_not_found')
    }
  })
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

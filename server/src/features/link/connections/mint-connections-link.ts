import type { ConnectionsLink } from '@carabiner/contract'
import { SECOND } from '../../../core/duration.ts'
import type { Mode } from '../../../core/mode.ts'
import { Refusal } from '../../../core/refusal.ts'
import { hashToken, issueToken } from '../../../core/token.ts'
import { isUuid, newUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import { CONNECTIONS_LINK_TTL_MS } from './connections-link.ts'
import { connectionsLinkStore } from './connections-link-store.ts'

type Owner = { organizationId: string; mode: Mode }

/** Issues a link to the My connections page of a user. Only the hash of its token is stored. */
export const mintConnectionsLink = async (
  { db, linkUrl }: { db: Database; linkUrl: string },
  { organizationId, mode }: Owner,
  registeredUserId: string,
): Promise<ConnectionsLink> => {
  if (!isUuid(registeredUserId)) throw new Refusal('registered_user_not_found')
  const token = issueToken('connectionsLink', organizationId)
  const link = { organizationId, mode, registeredUserId, id: newUuid(), secretHash: hashToken(token) }
  const minted = await connectionsLinkStore.mint(db, link, CONNECTIONS_LINK_TTL_MS / SECOND)
  if (!minted) throw new Refusal('registered_user_not_found')
  if (minted.expiresAt === null) throw new Refusal('user_inactive')
  return { url: `${linkUrl}/connections/${token}`, expires_at: minted.expiresAt.toISOString() }
}

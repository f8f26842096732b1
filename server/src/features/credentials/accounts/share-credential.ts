import type { CredentialAccess } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { CredentialOwner } from '../credential-read-store.ts'
import { credentialStore } from '../credential-store.ts'
import { requireCredential } from '../read-credentials.ts'
import { credentialShareStore } from './credential-share-store.ts'

/** Replaces the access list of a credential. Calls read it at their admission, so a change takes effect on the next call. */
export const shareCredential = async (
  db: Database,
  owner: CredentialOwner,
  credentialId: string,
  access: CredentialAccess,
): Promise<void> => {
  const { id, status } = await requireCredential(db, owner, credentialId)
  if (status === 'revoked') throw new Refusal('credential_not_found')
  const userIds = distinctIds(access.registered_user_ids)
  const packIds = distinctIds(access.tool_pack_ids)
  const key = { organizationId: owner.organizationId, credentialId: id }
  await db.transaction(async tx => {
    await credentialStore.lockUser(tx, owner.organizationId, owner.registeredUserId)
    await credentialShareStore.clear(tx, key)
    const targets = { everyone: access.everyone ?? false, userIds, packIds }
    const shares = await credentialShareStore.insert(tx, key, owner.mode, targets)
    if (shares.filter(({ registeredUserId }) => registeredUserId !== null).length < userIds.length)
      throw new Refusal('registered_user_not_found', { param: 'registered_user_ids' })
    if (shares.filter(({ toolPackId }) => toolPackId !== null).length < packIds.length)
      throw new Refusal('tool_pack_not_found', { param: 'tool_pack_ids' })
  })
}

const distinctIds = (ids: string[] = []): string[] => [...new Set(ids.map(id => id.toLowerCase()))]

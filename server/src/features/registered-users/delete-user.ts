import { Refusal } from '../../core/refusal.ts'
import type { Database } from '../../platform/database.ts'
import { deleteIdempotentAnswers } from '../../platform/idempotency-store.ts'
import type { Vault } from '../../platform/vault.ts'
import { resealForRevocation } from '../credentials/end-credentials.ts'
import { deleteUserEvents } from '../events/record-event.ts'
import { type Owner, registeredUserStore } from './registered-user-store.ts'
import { recordUserEvent, requireId } from './save-user.ts'

/**
 * §4.5: irreversible. When this returns, the data key is gone, and with it everything that was sealed under it. Tokens
 * that must still be revoked at the third party were sealed anew, under the organization's key, for an hour at most.
 */
export const deleteUser = async (
  { db, vault }: { db: Database; vault: Vault },
  owner: Owner,
  id: string,
): Promise<void> => {
  requireId(id)
  const organizationKey = await vault.organizationKey(owner.organizationId)
  await db.transaction(async tx => {
    const user = await registeredUserStore.lock(tx, owner, id)
    if (!user) throw new Refusal('registered_user_not_found')
    const userKey = await vault.openUserKey(owner.organizationId, id, user.data_key, tx)
    await resealForRevocation(tx, {
      organizationId: owner.organizationId,
      registeredUserId: id,
      userKey,
      organizationKey,
    })
    await deleteUserEvents(tx, owner.organizationId, id)
    await deleteIdempotentAnswers(tx, owner.organizationId, id)
    await recordUserEvent(tx, owner, id, 'registered_user.deleted')
    await registeredUserStore.delete(tx, owner.organizationId, id)
  })
}

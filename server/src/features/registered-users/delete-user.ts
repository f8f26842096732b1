import { Refusal } from '../../core/refusal.ts'
import type { Database, Transaction } from '../../platform/database/database.ts'
import { deleteIdempotentAnswers } from '../../platform/idempotency-store.ts'
import type { Log } from '../../platform/log.ts'
import { type Tombstone, type TombstoneLog, TombstoneLogError } from '../../platform/tombstone-log.ts'
import type { DataKey } from '../../platform/vault/sealing.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { resealForRevocation } from '../credentials/end-credentials.ts'
import { deleteUserEvents, recordEvent } from '../events/record-event.ts'
import { type Owner, registeredUserStore } from './registered-user-store.ts'
import { requireId } from './save-user.ts'

type Deps = { db: Database; vault: Vault }
type Logs = { tombstones: TombstoneLog; log: Log }

/** A deletion that cannot be logged may succeed once the disk is repaired. */
const RETRY_AFTER_SECONDS = 30

/**
 * §4.5: irreversible. The tombstone is written before the commit: if it cannot be, nothing is deleted. If the commit fails
 * after it, the user still exists, and restoring a backup completes the deletion that was requested.
 */
export const deleteUser = async (deps: Deps & Logs, owner: Owner, id: string): Promise<void> => {
  requireId(id)
  const { organizationId } = owner
  const organizationKey = await deps.vault.organizationKey(organizationId)
  await deps.db.transaction(async tx => {
    if (!(await eraseUser(tx, { ...deps, organizationKey }, owner, id)))
      throw new Refusal('registered_user_not_found')
    await appendTombstone(deps, { organizationId, registeredUserId: id })
  })
}

const appendTombstone = async ({ tombstones, log }: Logs, tombstone: Tombstone): Promise<void> => {
  try {
    await tombstones.append(tombstone)
  } catch (cause) {
    if (!(cause instanceof TombstoneLogError)) throw cause
    log.error(
      { alert: 'tombstone_log_not_writable', organization_id: tombstone.organizationId, error: cause },
      'failed to delete a user',
    )
    throw new Refusal('unavailable', {
      message: 'The user was not deleted because the deleted-user log cannot be written. Try again.',
      retryAfterSeconds: RETRY_AFTER_SECONDS,
      cause,
    })
  }
}

/** Deletes those of the listed users that a restored database contains again. Returns their number. */
export const replayTombstones = async (deps: Deps, tombstones: Tombstone[]): Promise<number> => {
  let deleted = 0
  for (const { organizationId, registeredUserId: id } of tombstones) {
    const mode = await registeredUserStore.modeOf(deps.db, organizationId, id)
    if (!mode) continue
    const organizationKey = await deps.vault.organizationKey(organizationId)
    const wasErased = await deps.db.transaction(tx =>
      eraseUser(tx, { ...deps, organizationKey }, { organizationId, mode }, id),
    )
    if (wasErased) deleted++
  }
  return deleted
}

/**
 * Destroys the data key, and with it everything sealed under it. Tokens that must still be revoked at the provider are sealed
 * again under the organization's key, for at most an hour.
 */
const eraseUser = async (
  tx: Transaction,
  { vault, organizationKey }: { vault: Vault; organizationKey: DataKey },
  owner: Owner,
  id: string,
): Promise<boolean> => {
  const { organizationId } = owner
  const user = await registeredUserStore.lock(tx, owner, id)
  if (!user) return false
  const userKey = await vault.openUserKey(organizationId, id, user.dataKey, tx)
  await resealForRevocation(tx, { organizationId, registeredUserId: id, userKey, organizationKey })
  await deleteUserEvents(tx, organizationId, id)
  await deleteIdempotentAnswers(tx, organizationId, id)
  await recordEvent(tx, {
    organizationId,
    registeredUserId: id,
    type: 'registered_user.deleted',
    payload: {},
  })
  await registeredUserStore.delete(tx, organizationId, id)
  return true
}

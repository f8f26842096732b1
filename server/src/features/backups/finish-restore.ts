import type { Database } from '../../platform/database/database.ts'
import type { Tombstone } from '../../platform/tombstone-log.ts'
import type { VaultKeyRing } from '../../platform/vault/key-ring.ts'
import { rewrapKeys } from '../../platform/vault/rewrap.ts'
import { openVault, type Vault } from '../../platform/vault/vault.ts'
import { replayTombstones } from '../registered-users/delete-user.ts'
import { restoreStore, tableRowsStore } from './backup-store.ts'

type OpenOptions = {
  /** Whether to wrap all keys under the first key of the ring. Default: they stay as they are in the backup. */
  rewraps: boolean
}

/** Opens the vault of a database whose rows were restored. */
export const openRestored = async (
  db: Database,
  ring: VaultKeyRing,
  { rewraps }: OpenOptions,
): Promise<Vault> => {
  const restore = await restoreStore.find(db)
  if (restore && !restore.verifiedAt)
    await db.transaction(async tx => {
      await tableRowsStore.continueIdentities(tx)
      await tableRowsStore.resumeEvents(tx)
      if (rewraps) await rewrapKeys(tx, ring)
      await restoreStore.markVerified(tx)
    })
  return openVault(db, ring)
}

/**
 * Deletes the users that were deleted after the backup, and ends the restore, so that the service can start. Returns the number of these
 * users.
 */
export const finishRestore = async (
  { db, vault }: { db: Database; vault: Vault },
  deletedUsers: Tombstone[],
): Promise<number> => {
  const deleted = await replayTombstones({ db, vault }, deletedUsers)
  await tableRowsStore.updateStatistics(db)
  await restoreStore.end(db)
  return deleted
}

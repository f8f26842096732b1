import type { Queryable } from '../database/database.ts'
import { type PreviousKey, previousUserKeysStore } from './previous-user-keys-store.ts'
import {
  type DataKey,
  exportDataKey,
  importDataKey,
  keyIdOf,
  SealBroken,
  type SealContext,
  seal,
  unseal,
} from './sealing.ts'

const contextOf = (organizationId: string, userId: string, keyId: Buffer): SealContext => [
  'earlier-user-key',
  organizationId,
  userId,
  keyId.toString('hex'),
]

/**
 * Keeps the user's previous keys after a rotation, for records that are not sealed again. They are sealed under the
 * user's next key, so they are useless without it and deleted with it.
 */
export const carryOver = (
  old: DataKey,
  next: DataKey,
  organizationId: string,
  userId: string,
  earlier: PreviousKey[],
): { rows: PreviousKey[]; broken: SealBroken[] } => {
  const rows = [sealKey(old, next, organizationId, userId)]
  const broken: SealBroken[] = []
  for (const { keyId, sealed } of earlier) {
    try {
      const key = openKey(old, organizationId, userId, keyId, sealed)
      rows.push(sealKey(key, next, organizationId, userId))
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
      broken.push(error)
    }
  }
  return { rows, broken }
}

const sealKey = (key: DataKey, under: DataKey, organizationId: string, userId: string): PreviousKey => ({
  registeredUserId: userId,
  keyId: key.id,
  sealed: seal(under, exportDataKey(key), contextOf(organizationId, userId, key.id)),
})

const openKey = (
  under: DataKey,
  organizationId: string,
  userId: string,
  keyId: Buffer,
  sealed: Buffer,
): DataKey => importDataKey(unseal(under, sealed, contextOf(organizationId, userId, keyId)))

/** Decrypts a record sealed under the user's current key or under one that a rotation replaced. */
export const unsealWithAnyKey = async (
  db: Queryable,
  { organizationId, userId, userKey }: { organizationId: string; userId: string; userKey: DataKey },
  sealed: Buffer,
  context: SealContext,
): Promise<Buffer> => {
  const keyId = keyIdOf(sealed, context)
  if (keyId.equals(userKey.id)) return unseal(userKey, sealed, context)
  const row = await previousUserKeysStore.find(db, organizationId, userId, keyId)
  if (!row) throw new SealBroken(context, 'its key does not exist')
  return unseal(openKey(userKey, organizationId, userId, keyId, row.sealed), sealed, context)
}

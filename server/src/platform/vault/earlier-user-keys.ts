import type { Queryable } from '../database/database.ts'
import { type EarlierKeyRow, earlierUserKeysStore } from './earlier-user-keys-store.ts'
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
 * What a rotation leaves of a user's key: whatever was sealed in numbers and stays as it is opens by it. Sealed under the user's next
 * key, so that it is worth nothing without that, and goes with it.
 */
export const carryOver = (
  old: DataKey,
  next: DataKey,
  organizationId: string,
  userId: string,
  earlier: EarlierKeyRow[],
): { rows: EarlierKeyRow[]; broken: SealBroken[] } => {
  const rows = [sealKey(old, next, organizationId, userId)]
  const broken: SealBroken[] = []
  for (const { key_id, sealed } of earlier) {
    try {
      const key = openKey(old, organizationId, userId, key_id, sealed)
      rows.push(sealKey(key, next, organizationId, userId))
    } catch (error) {
      if (!(error instanceof SealBroken)) throw error
      broken.push(error)
    }
  }
  return { rows, broken }
}

const sealKey = (key: DataKey, under: DataKey, organizationId: string, userId: string): EarlierKeyRow => ({
  registered_user_id: userId,
  key_id: key.id,
  sealed: seal(under, exportDataKey(key), contextOf(organizationId, userId, key.id)),
})

const openKey = (
  under: DataKey,
  organizationId: string,
  userId: string,
  keyId: Buffer,
  sealed: Buffer,
): DataKey => importDataKey(unseal(under, sealed, contextOf(organizationId, userId, keyId)))

/** Opens what was sealed under the user's key of now, or under one that a rotation replaced. */
export const unsealOfAnyTime = async (
  db: Queryable,
  { organizationId, userId, userKey }: { organizationId: string; userId: string; userKey: DataKey },
  sealed: Buffer,
  context: SealContext,
): Promise<Buffer> => {
  const keyId = keyIdOf(sealed, context)
  if (keyId.equals(userKey.id)) return unseal(userKey, sealed, context)
  const row = await earlierUserKeysStore.find(db, organizationId, userId, keyId)
  if (!row) throw new SealBroken(context, 'the key that it names is not there')
  return unseal(openKey(userKey, organizationId, userId, keyId, row.sealed), sealed, context)
}

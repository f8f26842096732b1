import type { Database } from '../database/database.ts'
import { unwrapKey, type VaultKeyRing } from './key-ring.ts'
import { SIGNING_OWNER, vaultStore } from './vault-store.ts'

type SealedDatabase = { db: Database; ring: VaultKeyRing }

/**
 * Replaces the signing key of one installation by that of another, so that both accept each other's signatures. Everything that the target
 * has signed becomes invalid, and its running processes keep the old key.
 */
export const shareSigningKey = async (source: SealedDatabase, target: SealedDatabase): Promise<void> => {
  const current = await vaultStore.signingSecret(source.db)
  if (!current) throw new Error('the signing secret is missing')
  const key = await unwrapKey(source.ring, current.wrapped, SIGNING_OWNER)
  const wrapped = await target.ring.first().wrap(key, SIGNING_OWNER)
  await target.db.transaction(async tx => {
    await vaultStore.keepSigningSecret(tx, wrapped)
    await vaultStore.rewrapSigningSecret(tx, wrapped)
  })
}

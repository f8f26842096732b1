import type { Queryable } from '../database/database.ts'
import type { VaultKeyRing } from './key-ring.ts'
import { renewOrganizationKey, switchVaultKey } from './rotation.ts'
import { vaultStore } from './vault-store.ts'

/** Also finds keys of another ring, which wrapped the keys of a restored database. */
export const joinKeyRings = (own: VaultKeyRing, other: VaultKeyRing): VaultKeyRing => ({
  source: `${own.source} and ${other.source}`,
  first: () => own.first(),
  find: id => own.find(id) ?? other.find(id),
})

const NEVER = new Date(0)

/** Wraps the stored keys under the first key of the ring. The keys themselves stay the same. */
export const rewrapKeys = async (tx: Queryable, ring: VaultKeyRing): Promise<void> => {
  const vaultKey = ring.first()
  await switchVaultKey(tx, ring, vaultKey)
  for (const organizationId of await vaultStore.keyOwners(tx))
    await renewOrganizationKey(tx, ring, { organizationId, vaultKey, since: NEVER })
}

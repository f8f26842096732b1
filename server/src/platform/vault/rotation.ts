import type { Queryable } from '../database/database.ts'
import type { KeyEncryptionKey } from './key.ts'
import { unwrapKey, type VaultKeyRing, wrappingKeyOf } from './key-ring.ts'
import { type OrganizationKeys, readOrganizationKeys } from './organization-keys.ts'
import { newDataKey } from './sealing.ts'
import { SIGNING_OWNER, vaultStore } from './vault-store.ts'

/** The vault key that currently wraps. Until the transaction ends, no other transaction can wrap or switch keys. */
export const lockVaultKey = async (tx: Queryable, ring: VaultKeyRing): Promise<KeyEncryptionKey> => {
  const signing = await vaultStore.lockSigningSecret(tx)
  if (!signing) throw new Error('the signing secret is missing')
  return wrappingKeyOf(ring, signing.wrapped)
}

/** After the commit, every node wraps under `next`. */
export const switchVaultKey = async (
  tx: Queryable,
  ring: VaultKeyRing,
  next: KeyEncryptionKey,
): Promise<void> => {
  const signing = await vaultStore.lockSigningSecret(tx)
  if (!signing) throw new Error('the signing secret is missing')
  const key = await unwrapKey(ring, signing.wrapped, SIGNING_OWNER)
  await vaultStore.rewrapSigningSecret(tx, await next.wrap(key, SIGNING_OWNER))
}

type Renewal = { organizationId: string; vaultKey: KeyEncryptionKey; since: Date }

/** Creates a new key if the latest is older than `since`. The kept keys are wrapped under the current vault key. */
export const renewOrganizationKey = async (
  tx: Queryable,
  ring: VaultKeyRing,
  { organizationId, vaultKey, since }: Renewal,
): Promise<OrganizationKeys> => {
  const rows = await vaultStore.organizationKeys(tx, organizationId)
  for (const { generation, wrapped } of rows) {
    if (wrappingKeyOf(ring, wrapped).id.equals(vaultKey.id)) continue
    const key = await unwrapKey(ring, wrapped, organizationId)
    await vaultStore.rewrapOrganizationKey(
      tx,
      organizationId,
      generation,
      await vaultKey.wrap(key, organizationId),
    )
  }
  const [newest] = rows
  if (newest && newest.createdAt < since) {
    const wrapped = await vaultKey.wrap(newDataKey(), organizationId)
    await vaultStore.insertOrganizationKey(tx, organizationId, newest.generation + 1, wrapped)
  }
  return readOrganizationKeys(tx, ring, organizationId)
}

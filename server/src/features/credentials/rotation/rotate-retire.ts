import { NIL_UUID } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Log } from '../../../platform/log.ts'
import type { OrganizationKeys } from '../../../platform/vault/organization-keys.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { vaultStore } from '../../../platform/vault/vault-store.ts'
import { reportBrokenSeal } from '../report-broken-seal.ts'
import { rotateStore } from './rotate-store.ts'
import { rekeyUsers, resealOrganizationSecrets, type UnreadableSecret } from './rotate-users.ts'

type Deps = { db: Database; vault: Vault; log: Log }

/**
 * Deletes organization keys that were replaced a day ago. A node that had cached the old key may have sealed under it for a
 * few more minutes, so those secrets are sealed again first. A key that is still needed is kept.
 */
export const retireOrganizationKeys = async (deps: Deps): Promise<void> => {
  for (const { organizationId, generations } of await rotateStore.superseded(deps.db)) {
    const keys = await deps.vault.organizationKeys(organizationId)
    for (const { location, error } of await resealLateSecrets(deps.db, organizationId, keys))
      reportBrokenSeal(deps.log, location, error)
    for (const { generation, id } of keys.filter(key => generations.includes(key.generation)))
      await vaultStore.deleteOrganizationKey(deps.db, organizationId, generation, id)
  }
}

const resealLateSecrets = async (
  db: Database,
  organizationId: string,
  keys: OrganizationKeys,
): Promise<UnreadableSecret[]> => {
  const unreadable = await db.transaction(tx => resealOrganizationSecrets(tx, organizationId, keys))
  let after: string | null = NIL_UUID
  while (after !== null) {
    const from: string = after
    const rekeyed = await db.transaction(tx => rekeyUsers(tx, { organizationId, keys, after: from }))
    unreadable.push(...rekeyed.unreadable)
    after = rekeyed.last
  }
  return unreadable
}

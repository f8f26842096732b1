import { NIL_UUID } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Log } from '../../../platform/log.ts'
import type { OrganizationKeys } from '../../../platform/vault/organization-keys.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { vaultStore } from '../../../platform/vault/vault-store.ts'
import { reportBrokenSeal } from '../broken-seal.ts'
import { rotateStore } from './rotate-store.ts'
import { rekeyUsers, resealOrganizationSecrets, type Unreadable } from './rotate-users.ts'

type Deps = { db: Database; vault: Vault; log: Log }

/**
 * Keys of organizations that a rotation replaced a day ago. A node that had not heard of the new key may have sealed under
 * the old one for some minutes more: that is sealed anew first. What still needs a key keeps it.
 */
export const retireOrganizationKeys = async (deps: Deps): Promise<void> => {
  for (const { organization_id: organizationId, generations } of await rotateStore.superseded(deps.db)) {
    const keys = await deps.vault.organizationKeys(organizationId)
    for (const { place, error } of await resealStragglers(deps.db, organizationId, keys))
      reportBrokenSeal(deps.log, place, error)
    for (const { generation, id } of keys.filter(key => generations.includes(key.generation)))
      await vaultStore.deleteOrganizationKey(deps.db, organizationId, generation, id)
  }
}

const resealStragglers = async (
  db: Database,
  organizationId: string,
  keys: OrganizationKeys,
): Promise<Unreadable[]> => {
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

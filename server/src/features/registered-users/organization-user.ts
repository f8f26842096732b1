import { newUuid } from '../../core/uuid.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { type Owner, registeredUserStore } from './registered-user-store.ts'

/** An application cannot choose an empty ID. */
const NO_ORIGIN = ''

/** The user that the organization's own accounts belong to; null if it has none yet. */
export const findOrganizationUser = async (db: Database, owner: Owner): Promise<string | null> =>
  (await registeredUserStore.findByOrigin(db, owner, NO_ORIGIN))?.id ?? null

/** The same, created when the organization links its first account. Lists and searches do not show it. */
export const ensureOrganizationUser = async (
  { db, vault }: { db: Database; vault: Vault },
  owner: Owner,
): Promise<string> => {
  const known = await findOrganizationUser(db, owner)
  if (known !== null) return known
  const id = newUuid()
  const dataKey = await vault.createUserKey(owner.organizationId, id)
  const inserted = await registeredUserStore.insertOrganizationUser(db, owner, id, dataKey)
  const user = inserted?.id ?? (await findOrganizationUser(db, owner))
  if (user === null) throw new Error('the user of the organization was deleted between insert and read')
  return user
}

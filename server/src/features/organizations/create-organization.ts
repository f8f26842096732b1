import type { Secret } from '../../core/secret.ts'
import { newUuid } from '../../core/uuid.ts'
import { type Database, statement } from '../../platform/database.ts'
import type { Vault } from '../../platform/vault.ts'
import { issueKey } from './api-keys.ts'
import { type OrganizationRow, organizationStore } from './organization-store.ts'

export type CreatedOrganization = { organization: OrganizationRow; productionKey: Secret; testKey: Secret }

const createDefaultPack = statement<never>(
  'tool_packs.create_default',
  'select create_default_tool_pack($1, $2)',
)

/** An organization is never half there: its key in the vault, its two API keys and its default Tool Pack come with it. */
export const createOrganization = (
  { db, vault }: { db: Database; vault: Vault },
  name: string,
): Promise<CreatedOrganization> =>
  db.transaction(async tx => {
    const id = newUuid()
    const organization = await organizationStore.insert(tx, id, name)
    await vault.createOrganizationKey(tx, id)
    await tx.query(createDefaultPack, [id, newUuid()])
    const production = await issueKey(tx, id, 'production', 'Production')
    const test = await issueKey(tx, id, 'test', 'Test')
    return { organization, productionKey: production.key, testKey: test.key }
  })

import { join } from 'node:path'
import { Secret } from '../../../server/src/core/secret.ts'
import type { Database } from '../../../server/src/platform/database/database.ts'
import { readVaultKeyFile } from '../../../server/src/platform/vault/key-file.ts'
import { fixedKeyRing } from '../../../server/src/platform/vault/key-ring.ts'
import { openVault, type Vault } from '../../../server/src/platform/vault/vault.ts'
import { createBrowserUser } from '../../../server/test/support/browser-user.ts'
import { seedSealedUsers } from '../../../server/test/support/sealed-users.ts'
import type { Installation } from '../service-process.ts'

export type Api = <Result>(method: string, path: string, body?: unknown) => Promise<Result>

/** Links one user by entering a key in Link's page. The service also reads the list of the server's tools then. */
export const linkThroughPage = async (
  api: Api,
  slug: string,
  values: Record<string, string>,
): Promise<void> => {
  const { id } = await api<{ id: string }>('POST', '/registered-users', {
    origin_user_id: `first-at-${slug}`,
  })
  const minted = await api<{ magic_link_url: string }>('POST', `/registered-users/${id}/link-token`, {
    connector: slug,
  })
  const person = createBrowserUser()
  const page = await person.submit(await person.open(minted.magic_link_url), /\/api-key$/, values)
  if (page.status !== 200) throw new Error(`${slug} was not linked: ${page.status} ${page.title}`)
}

export const openVaultOf = (db: Database, { folder }: Installation): Promise<Vault> =>
  openVault(db, fixedKeyRing(readVaultKeyFile(join(folder, 'keys/vault.key')) ?? [], { production: false }))

type SeedOptions = {
  installation: Installation
  organizationId: string
  users: number
  /** The connectors that each user has linked, with the name of the field that contains the key. */
  fields: Record<string, string>
}

/** Stores the credentials of the other users directly, sealed by the service's vault, because Link's page is rate limited. */
export const seedCallers = async (
  db: Database,
  { installation, organizationId, users, fields }: SeedOptions,
): Promise<string[]> => {
  const vault = await openVaultOf(db, installation)
  return seedSealedUsers(
    { db, vault },
    {
      organizationId,
      users,
      mode: 'production',
      connectors: Object.keys(fields),
      secretOf: (userId, slug) => ({
        kind: 'api_key',
        fields: { [fields[slug] as string]: new Secret(`bench-key-of-${userId}`) },
        tenant: {},
      }),
    },
  )
}

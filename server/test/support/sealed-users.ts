import { Secret } from '../../src/core/secret.ts'
import { newUuid } from '../../src/core/uuid.ts'
import { type CredentialSecret, sealSecret } from '../../src/features/credentials/credential-secret.ts'
import { type Database } from '../../src/platform/database/database.ts'
import type { Vault } from '../../src/platform/vault/vault.ts'
import { plainStatement } from './run-sql.ts'

const insertUsers = plainStatement(
  'test.insert_users',
  `insert into registered_users (organization_id, id, mode, origin_user_id, data_key)
   select $1, u.id, $2, 'sealed-' || u.id, u.data_key from unnest($3::uuid[], $4::bytea[]) as u(id, data_key)`,
)
const insertCredentials = plainStatement(
  'test.insert_credentials',
  `insert into credentials (organization_id, id, registered_user_id, connector_slug, status, secret_id, sealed, method, scopes)
   select $1, c.id, c.user_id, c.connector, 'active', c.secret_id, c.sealed, c.method, $8
   from unnest($2::uuid[], $3::uuid[], $4::text[], $5::uuid[], $6::bytea[], $7::text[]) as c(id, user_id, connector, secret_id, sealed, method)`,
)

export const apiKeySecret = (key: string): CredentialSecret => ({
  kind: 'api_key',
  fields: { api_key: new Secret(key) },
  tenant: {},
})

type SeedOptions = {
  organizationId: string
  users: number
  /** Secret of a user’s credential for a connector. */
  secretOf: (userId: string, connector: string) => CredentialSecret
  connectors: string[]
  mode?: 'production' | 'test'
  scopes?: string[]
}

const CHUNK = 1000

/** Inserts many users with sealed credentials, to simulate a service that has run for a long time. */
export const seedSealedUsers = async (
  { db, vault }: { db: Database; vault: Vault },
  { organizationId, users, connectors, secretOf, mode = 'test', scopes = [] }: SeedOptions,
): Promise<string[]> => {
  const all: string[] = []
  while (all.length < users) {
    const ids = Array.from({ length: Math.min(CHUNK, users - all.length) }, () => newUuid())
    const dataKeys = await Promise.all(ids.map(id => vault.createUserKey(organizationId, id)))
    const credentials = await Promise.all(
      ids.map(async (registeredUserId, n) => {
        const key = await vault.openUserKey(organizationId, registeredUserId, dataKeys[n] as Buffer)
        return connectors.map(connectorSlug => {
          const secretId = newUuid()
          const owner = { organizationId, registeredUserId, connectorSlug, secretId }
          const secret = secretOf(registeredUserId, connectorSlug)
          return { ...owner, id: newUuid(), sealed: sealSecret(key, owner, secret), method: secret.kind }
        })
      }),
    )
    const rows = credentials.flat()
    await db.query(insertUsers, [organizationId, mode, ids, dataKeys])
    await db.query(insertCredentials, [
      organizationId,
      rows.map(row => row.id),
      rows.map(row => row.registeredUserId),
      rows.map(row => row.connectorSlug),
      rows.map(row => row.secretId),
      rows.map(row => row.sealed),
      rows.map(row => row.method),
      scopes,
    ])
    all.push(...ids)
  }
  return all
}

import { one, type Queryable } from '../database/database.ts'
import { bigint, bytea, integer, timestamptz, uuid, type Values } from '../database/sql-types.ts'
import { statement } from '../database/statement.ts'

const wrappedKeyColumns = {
  generation: integer,
  wrapped: bytea,
  createdAt: timestamptz,
}
export type WrappedKey = Values<typeof wrappedKeyColumns>

/** Also the owner that the wrapped secret is bound to. */
export const SIGNING_OWNER = 'signing'

const selectSecretWith = (name: string, lock: '' | 'for share' | 'for update') =>
  statement({
    name: `vault.${name}`,
    columns: { wrapped: bytea },
    sql: `select wrapped from service_secrets where name = '${SIGNING_OWNER}' ${lock}`,
  })
const selectSecret = selectSecretWith('service_secret', '')
// Held by a transaction that wraps a key until the key is stored. A switch to another vault key waits for it.
const shareSecret = selectSecretWith('share_service_secret', 'for share')
const lockSecret = selectSecretWith('lock_service_secret', 'for update')
const insertSecret = statement({
  name: 'vault.insert_service_secret',
  parameters: { wrapped: bytea },
  sql: `insert into service_secrets (name, wrapped) values ('${SIGNING_OWNER}', :wrapped) on conflict (name) do nothing`,
})
const rewrapSecret = statement({
  name: 'vault.rewrap_service_secret',
  parameters: { wrapped: bytea },
  sql: `update service_secrets set wrapped = :wrapped where name = '${SIGNING_OWNER}'`,
})
const selectKeys = statement({
  name: 'vault.organization_keys',
  parameters: { organizationId: uuid },
  columns: wrappedKeyColumns,
  sql: `select generation, wrapped, created_at from organization_keys where organization_id = :organizationId
   order by generation desc`,
})
const insertKey = statement({
  name: 'vault.insert_organization_key',
  parameters: { organizationId: uuid, generation: integer, wrapped: bytea },
  sql: `insert into organization_keys (organization_id, generation, wrapped) values (:organizationId, :generation, :wrapped)`,
})
const rewrapKey = statement({
  name: 'vault.rewrap_organization_key',
  parameters: { organizationId: uuid, generation: integer, wrapped: bytea },
  sql: `update organization_keys set wrapped = :wrapped where organization_id = :organizationId and generation = :generation`,
})
const deleteKey = statement({
  name: 'vault.delete_organization_key',
  parameters: { organizationId: uuid, generation: integer, keyId: bytea },
  columns: { generation: integer },
  sql: `delete from organization_keys k where organization_id = :organizationId and generation = :generation
     and not exists (select from sealed_under_organization s where s.organization_id = :organizationId and s.key_id = :keyId)
   returning generation`,
})
const countWrappedElsewhere = statement({
  name: 'vault.wrapped_elsewhere',
  parameters: { vaultKeyId: bytea },
  columns: { count: bigint },
  sql: `select (select count(*) from service_secrets where sealing_key(wrapped) <> :vaultKeyId)
     + (select count(*) from organization_keys where sealing_key(wrapped) <> :vaultKeyId) as count`,
})
const selectWrappingKeys = statement({
  name: 'vault.wrapping_keys',
  columns: { keyId: bytea },
  sql: `select sealing_key(wrapped) as key_id from service_secrets union select sealing_key(wrapped) from organization_keys`,
})
const selectOwners = statement({
  name: 'vault.key_owners',
  columns: { organizationId: uuid },
  sql: 'select distinct organization_id from organization_keys',
})

/** The signing secret identifies the correct vault key, and the one that currently wraps. */
export const vaultStore = {
  signingSecret: (db: Queryable) => one(db, selectSecret),
  keepSigningSecret: (db: Queryable, wrapped: Buffer) => db.query(insertSecret, { wrapped }),
  shareSigningSecret: (tx: Queryable) => one(tx, shareSecret),
  lockSigningSecret: (tx: Queryable) => one(tx, lockSecret),
  rewrapSigningSecret: (tx: Queryable, wrapped: Buffer) => tx.query(rewrapSecret, { wrapped }),
  organizationKeys: (db: Queryable, organizationId: string) => db.query(selectKeys, { organizationId }),
  insertOrganizationKey: (tx: Queryable, organizationId: string, generation: number, wrapped: Buffer) =>
    tx.query(insertKey, { organizationId, generation, wrapped }),
  rewrapOrganizationKey: (tx: Queryable, organizationId: string, generation: number, wrapped: Buffer) =>
    tx.query(rewrapKey, { organizationId, generation, wrapped }),
  /** Deletes a key only if nothing is sealed under it. */
  deleteOrganizationKey: (db: Queryable, organizationId: string, generation: number, keyId: Buffer) =>
    one(db, deleteKey, { organizationId, generation, keyId }),
  /** The IDs of the vault keys that wrap the stored keys. */
  wrappingKeyIds: async (db: Queryable): Promise<Buffer[]> =>
    (await db.query(selectWrappingKeys)).map(({ keyId }) => keyId),
  keyOwners: async (db: Queryable): Promise<string[]> =>
    (await db.query(selectOwners)).map(({ organizationId }) => organizationId),
  countWrappedElsewhere: async (db: Queryable, vaultKeyId: Buffer): Promise<number> =>
    (await one(db, countWrappedElsewhere, { vaultKeyId }))?.count ?? 0,
}

import { one, type Queryable, statement } from '../database/database.ts'

export type WrappedKeyRow = { generation: number; wrapped: Buffer; created_at: Date }

/** Also the owner that the wrapped secret is bound to. */
export const SIGNING_OWNER = 'signing'

const selectSecret = statement<{ wrapped: Buffer }>(
  'vault.service_secret',
  'select wrapped from service_secrets where name = $1',
)
const insertSecret = statement<never>(
  'vault.insert_service_secret',
  'insert into service_secrets (name, wrapped) values ($1, $2) on conflict (name) do nothing',
)
// Held by a transaction that wraps a key until the key is stored. A switch to another vault key waits for it.
const shareSecret = statement<{ wrapped: Buffer }>(
  'vault.share_service_secret',
  'select wrapped from service_secrets where name = $1 for share',
)
const lockSecret = statement<{ wrapped: Buffer }>(
  'vault.lock_service_secret',
  'select wrapped from service_secrets where name = $1 for update',
)
const rewrapSecret = statement<never>(
  'vault.rewrap_service_secret',
  'update service_secrets set wrapped = $2 where name = $1',
)
const selectKeys = statement<WrappedKeyRow>(
  'vault.organization_keys',
  'select generation, wrapped, created_at from organization_keys where organization_id = $1 order by generation desc',
)
const insertKey = statement<never>(
  'vault.insert_organization_key',
  'insert into organization_keys (organization_id, generation, wrapped) values ($1, $2, $3)',
)
const rewrapKey = statement<never>(
  'vault.rewrap_organization_key',
  'update organization_keys set wrapped = $3 where organization_id = $1 and generation = $2',
)
const deleteKey = statement<{ generation: number }>(
  'vault.delete_organization_key',
  `delete from organization_keys k where organization_id = $1 and generation = $2
     and not exists (select from sealed_under_organization s where s.organization_id = $1 and s.key_id = $3)
   returning generation`,
)
const countWrappedElsewhere = statement<{ count: number }>(
  'vault.wrapped_elsewhere',
  `select (select count(*) from service_secrets where sealing_key(wrapped) <> $1)
     + (select count(*) from organization_keys where sealing_key(wrapped) <> $1) as count`,
)

/** The signing secret identifies the correct vault key, and the one that currently wraps. */
export const vaultStore = {
  signingSecret: (db: Queryable) => one(db, selectSecret, [SIGNING_OWNER]),
  keepSigningSecret: (db: Queryable, wrapped: Buffer) => db.query(insertSecret, [SIGNING_OWNER, wrapped]),
  shareSigningSecret: (tx: Queryable) => one(tx, shareSecret, [SIGNING_OWNER]),
  lockSigningSecret: (tx: Queryable) => one(tx, lockSecret, [SIGNING_OWNER]),
  rewrapSigningSecret: (tx: Queryable, wrapped: Buffer) => tx.query(rewrapSecret, [SIGNING_OWNER, wrapped]),
  organizationKeys: (db: Queryable, organizationId: string) => db.query(selectKeys, [organizationId]),
  insertOrganizationKey: (tx: Queryable, organizationId: string, generation: number, wrapped: Buffer) =>
    tx.query(insertKey, [organizationId, generation, wrapped]),
  rewrapOrganizationKey: (tx: Queryable, organizationId: string, generation: number, wrapped: Buffer) =>
    tx.query(rewrapKey, [organizationId, generation, wrapped]),
  /** Deletes a key only if nothing is sealed under it. */
  deleteOrganizationKey: (db: Queryable, organizationId: string, generation: number, keyId: Buffer) =>
    one(db, deleteKey, [organizationId, generation, keyId]),
  countWrappedElsewhere: async (db: Queryable, vaultKeyId: Buffer): Promise<number> =>
    (await one(db, countWrappedElsewhere, [vaultKeyId]))?.count ?? 0,
}

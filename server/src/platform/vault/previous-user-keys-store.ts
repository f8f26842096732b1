import { one, type Queryable } from '../database/database.ts'
import { array, arraysOf, bytea, toArrays, uuid, type Values } from '../database/sql-types.ts'
import { statement } from '../database/statement.ts'

const previousKeyColumns = {
  registeredUserId: uuid,
  keyId: bytea,
  sealed: bytea,
}
export type PreviousKey = Values<typeof previousKeyColumns>

const selectKey = statement({
  name: 'previous_user_keys.select',
  parameters: { organizationId: uuid, userId: uuid, keyId: bytea },
  columns: { sealed: bytea },
  sql: `select sealed from previous_user_keys where organization_id = :organizationId and registered_user_id = :userId
   and key_id = :keyId`,
})
const selectKeys = statement({
  name: 'previous_user_keys.list',
  parameters: { organizationId: uuid, userIds: array(uuid) },
  columns: previousKeyColumns,
  sql: `select registered_user_id, key_id, sealed from previous_user_keys
   where organization_id = :organizationId and registered_user_id = any(:userIds::uuid[])`,
})
const keepKeys = statement({
  name: 'previous_user_keys.insert',
  parameters: { organizationId: uuid, ...arraysOf(previousKeyColumns) },
  sql: `insert into previous_user_keys (organization_id, registered_user_id, key_id, sealed)
   select :organizationId, * from unnest(:registeredUserId::uuid[], :keyId::bytea[], :sealed::bytea[])
   on conflict (organization_id, registered_user_id, key_id) do update set sealed = excluded.sealed`,
})
// No plan keeps a record for longer than two years.
const forgetKeys = statement({
  name: 'previous_user_keys.delete_old',
  sql: `delete from previous_user_keys where replaced_at < app_now() - interval '732 days'
   and organization_id not in (select id from unserved_organizations)`,
})

export const previousUserKeysStore = {
  find: (db: Queryable, organizationId: string, userId: string, keyId: Buffer) =>
    one(db, selectKey, { organizationId, userId, keyId }),
  list: (tx: Queryable, organizationId: string, userIds: string[]) =>
    tx.query(selectKeys, { organizationId, userIds }),
  keep: (tx: Queryable, organizationId: string, keys: PreviousKey[]) =>
    tx.query(keepKeys, { organizationId, ...toArrays(previousKeyColumns, keys) }),
  forget: (db: Queryable) => db.query(forgetKeys),
}

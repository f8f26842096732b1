import { columns } from '../database/coalesce.ts'
import { one, type Parameter, type Queryable, statement } from '../database/database.ts'

export type EarlierKeyRow = { registered_user_id: string; key_id: Buffer; sealed: Buffer }

const selectKey = statement<{ sealed: Buffer }>(
  'earlier_user_keys.select',
  'select sealed from earlier_user_keys where organization_id = $1 and registered_user_id = $2 and key_id = $3',
)
const selectKeys = statement<EarlierKeyRow>(
  'earlier_user_keys.list',
  `select registered_user_id, key_id, sealed from earlier_user_keys
   where organization_id = $1 and registered_user_id = any($2::uuid[])`,
)
const keepKeys = statement<never>(
  'earlier_user_keys.keep',
  `insert into earlier_user_keys (organization_id, registered_user_id, key_id, sealed)
   select $1, * from unnest($2::uuid[], $3::bytea[], $4::bytea[])
   on conflict (organization_id, registered_user_id, key_id) do update set sealed = excluded.sealed`,
)
// No plan keeps a record for longer than two years.
const forgetKeys = statement<never>(
  'earlier_user_keys.forget',
  `delete from earlier_user_keys where replaced_at < app_now() - interval '732 days'`,
)

export const earlierUserKeysStore = {
  find: (db: Queryable, organizationId: string, userId: string, keyId: Buffer) =>
    one(db, selectKey, [organizationId, userId, keyId]),
  list: (tx: Queryable, organizationId: string, userIds: string[]) =>
    tx.query(selectKeys, [organizationId, userIds]),
  keep: (tx: Queryable, organizationId: string, rows: EarlierKeyRow[]) =>
    tx.query(keepKeys, [
      organizationId,
      ...(columns(rows, ['registered_user_id', 'key_id', 'sealed']) as Parameter[][]),
    ]),
  forget: (db: Queryable) => db.query(forgetKeys),
}

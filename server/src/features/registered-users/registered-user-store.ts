import type { Mode } from '../../core/mode.ts'
import { json, one, type Queryable, statement } from '../../platform/database/database.ts'

export type Owner = { organizationId: string; mode: Mode }

export type RegisteredUserRow = {
  id: string
  mode: Mode
  origin_user_id: string
  origin_user_name: string | null
  email: string | null
  is_active: boolean
  metadata: Record<string, unknown>
  rate_limit_per_minute: number | null
  linked_connectors: string[]
  created_at: Date
}
/** Null clears a field. */
export type UserFields = {
  origin_user_name?: string | null
  email?: string | null
  metadata?: Record<string, unknown> | null
  rate_limit_per_minute?: number | null
}

const USER = `u.id, u.mode, u.origin_user_id, u.origin_user_name, u.email, u.is_active, u.metadata, u.rate_limit_per_minute,
  array(select l.connector_slug from linked_connectors l
    where l.organization_id = u.organization_id and l.registered_user_id = u.id order by l.connector_slug) as linked_connectors,
  u.created_at`

const selectUser = statement<RegisteredUserRow>(
  'registered_users.select',
  `select ${USER} from registered_users u where u.organization_id = $1 and u.mode = $2 and u.id = $3`,
)
const selectPlan = statement<{ allows_rate_limits: boolean }>(
  'registered_users.plan',
  'select plan_limits_rates(plan) as allows_rate_limits from organizations where id = $1',
)
const lockUser = statement<RegisteredUserRow & { data_key: Buffer }>(
  'registered_users.lock',
  `select ${USER}, u.data_key from registered_users u where u.organization_id = $1 and u.mode = $2 and u.id = $3 for update of u`,
)
const selectMode = statement<{ mode: Mode }>(
  'registered_users.mode',
  'select mode from registered_users where organization_id = $1 and id = $2',
)
const selectUsers = statement<RegisteredUserRow>(
  'registered_users.list',
  `select ${USER} from registered_users u
   where u.organization_id = $1 and u.mode = $2 and ($3::uuid is null or u.id > $3)
     and ($4::text is null or u.origin_user_id = $4)
   order by u.id limit $5`,
)
const insertUser = statement<{ id: string }>(
  'registered_users.insert',
  `insert into registered_users
     (organization_id, mode, id, origin_user_id, origin_user_name, email, metadata, rate_limit_per_minute, data_key)
   values ($1, $2, $3, $4, $5, $6, coalesce($7::jsonb, '{}'), $8, $9)
   on conflict (organization_id, mode, origin_user_id) do nothing returning id`,
)
const findByOrigin = statement<{ id: string }>(
  'registered_users.by_origin',
  'select id from registered_users where organization_id = $1 and mode = $2 and origin_user_id = $3',
)
const updateFields = statement<never>(
  'registered_users.update',
  `update registered_users set
     origin_user_name = coalesce($3, case when 'origin_user_name' <> all($7::text[]) then origin_user_name end),
     email = coalesce($4, case when 'email' <> all($7::text[]) then email end),
     metadata = coalesce($5::jsonb, case when 'metadata' <> all($7::text[]) then metadata end, '{}'),
     rate_limit_per_minute = coalesce($6, case when 'rate_limit_per_minute' <> all($7::text[]) then rate_limit_per_minute end)
   where organization_id = $1 and id = $2`,
)
// Both activation and deactivation end earlier sessions, so that a link minted during a deactivation does not become valid
// again after a reactivation.
const setActive = statement<never>(
  'registered_users.set_active',
  `update registered_users set is_active = $3, sessions_ended_at = clock_timestamp() + (app_now() - now())
   where organization_id = $1 and id = $2`,
)
const deleteUser = statement<never>(
  'registered_users.delete',
  'delete from registered_users where organization_id = $1 and id = $2',
)
const fieldParameters = (fields: UserFields) => [
  fields.origin_user_name ?? null,
  fields.email ?? null,
  fields.metadata ? json(fields.metadata) : null,
  fields.rate_limit_per_minute ?? null,
]

const clearedOf = (fields: UserFields): string[] =>
  Object.entries(fields).flatMap(([name, value]) => (value === null ? name : []))

export const registeredUserStore = {
  plan: (db: Queryable, organizationId: string) => one(db, selectPlan, [organizationId]),
  find: (db: Queryable, { organizationId, mode }: Owner, id: string) =>
    one(db, selectUser, [organizationId, mode, id]),
  modeOf: async (db: Queryable, organizationId: string, id: string) =>
    (await one(db, selectMode, [organizationId, id]))?.mode ?? null,
  lock: (tx: Queryable, { organizationId, mode }: Owner, id: string) =>
    one(tx, lockUser, [organizationId, mode, id]),
  list: (
    db: Queryable,
    { organizationId, mode }: Owner,
    page: { after: string | null; limit: number; originUserId: string | null },
  ) => db.query(selectUsers, [organizationId, mode, page.after, page.originUserId, page.limit]),
  insert: (
    tx: Queryable,
    owner: Owner,
    user: { id: string; originUserId: string; dataKey: Buffer; fields: UserFields },
  ) =>
    one(tx, insertUser, [
      owner.organizationId,
      owner.mode,
      user.id,
      user.originUserId,
      ...fieldParameters(user.fields),
      user.dataKey,
    ]),
  findByOrigin: (tx: Queryable, { organizationId, mode }: Owner, originUserId: string) =>
    one(tx, findByOrigin, [organizationId, mode, originUserId]),
  update: (tx: Queryable, organizationId: string, id: string, fields: UserFields) =>
    tx.query(updateFields, [organizationId, id, ...fieldParameters(fields), clearedOf(fields)]),
  setActive: (tx: Queryable, organizationId: string, id: string, active: boolean) =>
    tx.query(setActive, [organizationId, id, active]),
  /** Cascades to credentials, sessions, codes and tool-call records; the data key is in the row itself. */
  delete: (tx: Queryable, organizationId: string, id: string) => tx.query(deleteUser, [organizationId, id]),
}

import type { Mode } from '../../core/mode.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import {
  array,
  bigint,
  boolean,
  bytea,
  integer,
  jsonb,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

export type Owner = { organizationId: string; mode: Mode }

const registeredUserColumns = {
  id: uuid,
  mode: typed<Mode>(text),
  originUserId: text,
  originUserName: nullable(text),
  email: nullable(text),
  isActive: boolean,
  metadata: typed<Record<string, unknown>>(jsonb),
  rateLimitPerMinute: nullable(integer),
  linkedConnectors: array(text),
  createdAt: timestamptz,
}
export type StoredUser = Values<typeof registeredUserColumns>
/** Null clears a field. */
export type UserFields = {
  origin_user_name?: string | null
  email?: string | null
  metadata?: Record<string, unknown> | null
  rate_limit_per_minute?: number | null
}

const USER = `u.id, u.mode, u.origin_user_id, u.origin_user_name, u.email, u.is_active, u.metadata, u.rate_limit_per_minute,
  array(select distinct l.connector_slug from linked_connectors l
    where l.organization_id = u.organization_id and l.registered_user_id = u.id order by l.connector_slug) as linked_connectors,
  u.created_at`

const selectUser = statement({
  name: 'registered_users.select',
  parameters: { organizationId: uuid, mode: text, id: uuid },
  columns: registeredUserColumns,
  sql: `select ${USER} from registered_users u where u.organization_id = :organizationId and u.mode = :mode and u.id = :id`,
})
const selectPlan = statement({
  name: 'registered_users.plan',
  parameters: { organizationId: uuid },
  columns: { allowsRateLimits: boolean },
  sql: 'select plan_has_rate_limits(plan) as allows_rate_limits from organizations where id = :organizationId',
})
const lockUser = statement({
  name: 'registered_users.lock',
  parameters: { organizationId: uuid, mode: text, id: uuid },
  columns: {
    ...registeredUserColumns,
    dataKey: bytea,
  },
  sql: `select ${USER}, u.data_key from registered_users u where u.organization_id = :organizationId and u.mode = :mode
   and u.id = :id for update of u`,
})
const selectMode = statement({
  name: 'registered_users.mode',
  parameters: { organizationId: uuid, id: uuid },
  columns: { mode: typed<Mode>(text) },
  sql: 'select mode from registered_users where organization_id = :organizationId and id = :id',
})
const selectUsers = statement({
  name: 'registered_users.list',
  parameters: {
    organizationId: uuid,
    mode: text,
    after: nullable(uuid),
    originUserId: nullable(text),
    limit: bigint,
  },
  columns: registeredUserColumns,
  sql: `select ${USER} from registered_users u
   where u.organization_id = :organizationId and u.mode = :mode and u.kind = 'user' and (:after::uuid is null or u.id > :after)
     and (:originUserId::text is null or u.origin_user_id = :originUserId)
   order by u.id limit :limit`,
})
const selectUsersById = statement({
  name: 'registered_users.by_ids',
  parameters: { organizationId: uuid, mode: text, after: nullable(uuid), ids: array(uuid), limit: bigint },
  columns: registeredUserColumns,
  sql: `select ${USER} from registered_users u
   where u.organization_id = :organizationId and u.mode = :mode and u.id = any(:ids::uuid[]) and (:after::uuid is null or u.id > :after)
   order by u.id limit :limit`,
})
/** Matches of one field that a search considers. A shorter text than that matches is of no use to its reader. */
const MAX_FOUND = 1000
const LAST_CHARACTER = `U&'\\+10FFFF'`
const beginsWith = (column: string): string => `(
     select id from registered_users where organization_id = :organizationId and mode = :mode and kind = 'user' and ${column} is not null
       and lower(${column}) collate "C" >= lower(:search::text) collate "C"
       and lower(${column}) collate "C" < (lower(:search::text) || ${LAST_CHARACTER}) collate "C"
     limit ${MAX_FOUND})`
const searchUsers = statement({
  name: 'registered_users.search',
  parameters: { organizationId: uuid, mode: text, after: nullable(uuid), search: text, limit: bigint },
  columns: registeredUserColumns,
  sql: `with found as materialized (
     ${['origin_user_id', 'origin_user_name', 'email'].map(beginsWith).join(' union ')}
   ), page as materialized (
     select id from found where :after::uuid is null or id > :after order by id limit :limit
   )
   select ${USER} from page p join registered_users u on u.organization_id = :organizationId and u.mode = :mode and u.id = p.id
   order by u.id`,
})
const insertUser = statement({
  name: 'registered_users.insert',
  parameters: {
    organizationId: uuid,
    mode: text,
    id: uuid,
    originUserId: text,
    originUserName: nullable(text),
    email: nullable(text),
    metadata: nullable(jsonb),
    rateLimitPerMinute: nullable(integer),
    dataKey: bytea,
  },
  columns: { id: uuid },
  sql: `insert into registered_users
     (organization_id, mode, id, origin_user_id, origin_user_name, email, metadata, rate_limit_per_minute, data_key)
   values (:organizationId, :mode, :id, :originUserId, :originUserName, :email, coalesce(:metadata::jsonb, '{}'),
     :rateLimitPerMinute, :dataKey)
   on conflict (organization_id, mode, origin_user_id) do nothing returning id`,
})
const insertOrganizationUser = statement({
  name: 'registered_users.insert_organization',
  parameters: { organizationId: uuid, mode: text, id: uuid, dataKey: bytea },
  columns: { id: uuid },
  sql: `insert into registered_users (organization_id, mode, id, kind, origin_user_id, origin_user_name, data_key)
   values (:organizationId, :mode, :id, 'organization', '', 'Organization account', :dataKey)
   on conflict (organization_id, mode, origin_user_id) do nothing returning id`,
})
const findByOrigin = statement({
  name: 'registered_users.by_origin',
  parameters: { organizationId: uuid, mode: text, originUserId: text },
  columns: { id: uuid },
  sql: `select id from registered_users where organization_id = :organizationId and mode = :mode
   and origin_user_id = :originUserId`,
})
const updateFields = statement({
  name: 'registered_users.update',
  parameters: {
    organizationId: uuid,
    id: uuid,
    originUserName: nullable(text),
    email: nullable(text),
    metadata: nullable(jsonb),
    rateLimitPerMinute: nullable(integer),
    cleared: array(text),
  },
  sql: `update registered_users set
     origin_user_name = coalesce(:originUserName, case when 'origin_user_name' <> all(:cleared::text[]) then origin_user_name end),
     email = coalesce(:email, case when 'email' <> all(:cleared::text[]) then email end),
     metadata = coalesce(:metadata::jsonb, case when 'metadata' <> all(:cleared::text[]) then metadata end, '{}'),
     rate_limit_per_minute = coalesce(:rateLimitPerMinute,
       case when 'rate_limit_per_minute' <> all(:cleared::text[]) then rate_limit_per_minute end)
   where organization_id = :organizationId and id = :id`,
})
// Both activation and deactivation end earlier sessions, so that a link minted during a deactivation does not become valid
// again after a reactivation.
const setActive = statement({
  name: 'registered_users.set_active',
  parameters: { organizationId: uuid, id: uuid, active: boolean },
  sql: `update registered_users set is_active = :active, sessions_ended_at = clock_timestamp() + (app_now() - now())
   where organization_id = :organizationId and id = :id`,
})
const deleteUser = statement({
  name: 'registered_users.delete',
  parameters: { organizationId: uuid, id: uuid },
  sql: 'delete from registered_users where organization_id = :organizationId and id = :id',
})
const fieldValues = (fields: UserFields) => ({
  originUserName: fields.origin_user_name ?? null,
  email: fields.email ?? null,
  metadata: fields.metadata ?? null,
  rateLimitPerMinute: fields.rate_limit_per_minute ?? null,
})

const clearedOf = (fields: UserFields): string[] =>
  Object.entries(fields).flatMap(([name, value]) => (value === null ? name : []))

export const registeredUserStore = {
  plan: (db: Queryable, organizationId: string) => one(db, selectPlan, { organizationId }),
  find: (db: Queryable, { organizationId, mode }: Owner, id: string) =>
    one(db, selectUser, { organizationId, mode, id }),
  modeOf: async (db: Queryable, organizationId: string, id: string) =>
    (await one(db, selectMode, { organizationId, id }))?.mode ?? null,
  lock: (tx: Queryable, { organizationId, mode }: Owner, id: string) =>
    one(tx, lockUser, { organizationId, mode, id }),
  list: (
    db: Queryable,
    { organizationId, mode }: Owner,
    page: { after: string | null; limit: number; originUserId: string | null },
  ) => db.query(selectUsers, { organizationId, mode, ...page }),
  /** Includes the user that has the organization's own accounts. */
  listByIds: (
    db: Queryable,
    { organizationId, mode }: Owner,
    page: { after: string | null; limit: number; ids: string[] },
  ) => db.query(selectUsersById, { organizationId, mode, ...page }),
  /** Users whose ID, name or email address begins with the text. */
  search: (
    db: Queryable,
    { organizationId, mode }: Owner,
    page: { after: string | null; limit: number; search: string },
  ) => db.query(searchUsers, { organizationId, mode, ...page }),
  insert: (
    tx: Queryable,
    owner: Owner,
    user: { id: string; originUserId: string; dataKey: Buffer; fields: UserFields },
  ) =>
    one(tx, insertUser, {
      organizationId: owner.organizationId,
      mode: owner.mode,
      id: user.id,
      originUserId: user.originUserId,
      dataKey: user.dataKey,
      ...fieldValues(user.fields),
    }),
  /** Returns null if the organization has one. */
  insertOrganizationUser: (db: Queryable, { organizationId, mode }: Owner, id: string, dataKey: Buffer) =>
    one(db, insertOrganizationUser, { organizationId, mode, id, dataKey }),
  findByOrigin: (tx: Queryable, { organizationId, mode }: Owner, originUserId: string) =>
    one(tx, findByOrigin, { organizationId, mode, originUserId }),
  update: (tx: Queryable, organizationId: string, id: string, fields: UserFields) =>
    tx.query(updateFields, { organizationId, id, ...fieldValues(fields), cleared: clearedOf(fields) }),
  setActive: (tx: Queryable, organizationId: string, id: string, active: boolean) =>
    tx.query(setActive, { organizationId, id, active }),
  /** Cascades to credentials, sessions, codes and tool-call records; the data key is in the row itself. */
  delete: (tx: Queryable, organizationId: string, id: string) => tx.query(deleteUser, { organizationId, id }),
}

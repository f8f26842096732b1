import { tokenPrefixes } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  array,
  bigint,
  boolean,
  bytea,
  double,
  integer,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { LastUse } from '../../../platform/last-uses.ts'

export type KeyHolder = { organizationId: string; mode: Mode; registeredUserId: string }

const mcpKeyColumns = {
  id: uuid,
  registeredUserId: uuid,
  name: text,
  hint: text,
  /** Only existing packs; a deleted pack is removed from the key. */
  toolPackIds: array(uuid),
  createdAt: timestamptz,
  lastUsedAt: nullable(timestamptz),
  expiresAt: timestamptz,
}
export type StoredMcpKey = Values<typeof mcpKeyColumns>
export type NewMcpKey = {
  id: string
  name: string
  hash: Buffer
  hint: string
  toolPackIds: string[]
  /** Exactly one of the two. */
  expiresInDays: number | null
  expiresAt: string | null
}

const COLUMNS = `k.id, k.registered_user_id, k.name, k.hint, k.created_at, k.last_used_at, k.expires_at,
  array(select p.id from admission_packs p where p.organization_id = k.organization_id and p.id = any(k.tool_pack_ids)
    order by p.id) as tool_pack_ids`

// Serializes the creation of a user's keys, so that the limit holds.
const lockUser = statement({
  name: 'mcp_keys.lock_user',
  parameters: { organizationId: uuid, mode: text, registeredUserId: uuid },
  columns: { isActive: boolean },
  sql: `select is_active from registered_users where organization_id = :organizationId and mode = :mode
   and id = :registeredUserId for no key update`,
})
const findUser = statement({
  name: 'mcp_keys.user',
  parameters: { organizationId: uuid, mode: text, registeredUserId: uuid },
  columns: { id: uuid },
  sql: `select id from admission_users where organization_id = :organizationId and mode = :mode and id = :registeredUserId`,
})
const countLive = statement({
  name: 'mcp_keys.count_live',
  parameters: { organizationId: uuid, registeredUserId: uuid },
  columns: { live: integer },
  sql: `select count(*)::integer as live from mcp_keys
   where organization_id = :organizationId and registered_user_id = :registeredUserId and expires_at > app_now()`,
})
const selectPacks = statement({
  name: 'mcp_keys.packs',
  parameters: { organizationId: uuid, ids: nullable(array(uuid)) },
  columns: { id: uuid },
  sql: `select id from admission_packs where organization_id = :organizationId
   and case when :ids::uuid[] is null then is_default else id = any(:ids) end`,
})
// The database compares times.
const insertKey = statement({
  name: 'mcp_keys.insert',
  parameters: {
    organizationId: uuid,
    registeredUserId: uuid,
    id: uuid,
    name: text,
    hash: bytea,
    hint: text,
    toolPackIds: array(uuid),
    expiresAt: nullable(typed<string>(timestamptz)),
    expiresInDays: nullable(integer),
    mostDays: integer,
  },
  columns: mcpKeyColumns,
  sql: `with k as (
     insert into mcp_keys (organization_id, registered_user_id, id, name, hash, hint, tool_pack_ids, expires_at)
     select :organizationId, :registeredUserId, :id, :name, :hash, :hint, :toolPackIds, until
     from (select coalesce(:expiresAt::timestamptz, app_now() + make_interval(days => :expiresInDays::integer)) as until) asked
     where until > app_now() and until <= app_now() + make_interval(days => :mostDays::integer)
     returning *
   )
   select ${COLUMNS} from k`,
})
const selectKeys = statement({
  name: 'mcp_keys.list',
  parameters: { organizationId: uuid, registeredUserId: uuid, after: nullable(uuid), limit: bigint },
  columns: mcpKeyColumns,
  sql: `select ${COLUMNS} from mcp_keys k
   where k.organization_id = :organizationId and k.registered_user_id = :registeredUserId
     and (:after::uuid is null or k.id > :after) order by k.id limit :limit`,
})
const selectByHint = statement({
  name: 'mcp_keys.by_hint',
  parameters: { organizationId: uuid, mode: text, hint: text },
  columns: mcpKeyColumns,
  sql: `select ${COLUMNS} from mcp_keys k
   join admission_users u on u.organization_id = k.organization_id and u.id = k.registered_user_id and u.mode = :mode
   where k.organization_id = :organizationId and k.hint = :hint order by k.id desc limit 20`,
})
const deleteKey = statement({
  name: 'mcp_keys.delete',
  parameters: { organizationId: uuid, mode: text, registeredUserId: uuid, id: uuid },
  columns: { id: uuid },
  sql: `delete from mcp_keys k using admission_users u
   where k.organization_id = :organizationId and u.organization_id = :organizationId and u.mode = :mode
     and u.id = :registeredUserId and k.registered_user_id = u.id and k.id = :id
   returning k.id`,
})
// Rows are locked in order, so that two processes cannot deadlock.
const markUsed = statement({
  name: 'mcp_keys.mark_used',
  parameters: { hashes: array(bytea), msAgo: array(double) },
  sql: `with used as (
     select k.organization_id, k.id, app_now() - u.ms_ago * interval '1 millisecond' as used_at
     from unnest(:hashes::bytea[], :msAgo::float8[]) u(hash, ms_ago)
     join mcp_keys k on k.hash = u.hash
     where k.organization_id not in (select id from unserved_organizations)
     order by k.organization_id, k.id for no key update of k
   )
   update mcp_keys k set last_used_at = greatest(k.last_used_at, used.used_at) from used
   where k.organization_id = used.organization_id and k.id = used.id`,
})
const deleteExpired = statement({
  name: 'mcp_keys.delete_expired',
  sql: `delete from mcp_keys where expires_at < app_now() - interval '30 days'
   and organization_id not in (select id from unserved_organizations)`,
})

export const mcpKeyStore = {
  lockUser: (tx: Queryable, keyHolder: KeyHolder) => one(tx, lockUser, keyHolder),
  findUser: (db: Queryable, keyHolder: KeyHolder) => one(db, findUser, keyHolder),
  countLive: async (tx: Queryable, { organizationId, registeredUserId }: KeyHolder) =>
    (await one(tx, countLive, { organizationId, registeredUserId }))?.live ?? 0,
  /** The existing packs among these IDs; null: the default pack. */
  packs: async (tx: Queryable, organizationId: string, ids: string[] | null) =>
    (await tx.query(selectPacks, { organizationId, ids })).map(({ id }) => id),
  /** Null if the expiry is beyond the allowed time. */
  insert: (
    tx: Queryable,
    { organizationId, registeredUserId }: KeyHolder,
    key: NewMcpKey,
    mostDays: number,
  ) =>
    one(tx, insertKey, {
      organizationId,
      registeredUserId,
      id: key.id,
      name: key.name,
      hash: key.hash,
      hint: key.hint,
      toolPackIds: key.toolPackIds,
      expiresAt: key.expiresAt,
      expiresInDays: key.expiresInDays,
      mostDays,
    }),
  list: (
    db: Queryable,
    { organizationId, registeredUserId }: KeyHolder,
    page: { after: string | null; limit: number },
  ) => db.query(selectKeys, { organizationId, registeredUserId, after: page.after, limit: page.limit }),
  findByHint: (db: Queryable, owner: { organizationId: string; mode: Mode }, end: string) =>
    db.query(selectByHint, { ...owner, hint: `${tokenPrefixes.mcpKey}…${end}` }),
  delete: (db: Queryable, { organizationId, mode, registeredUserId }: KeyHolder, id: string) =>
    one(db, deleteKey, { organizationId, mode, registeredUserId, id }),
  markUsed: (db: Queryable, uses: LastUse[]) =>
    db.query(markUsed, { hashes: uses.map(({ hash }) => hash), msAgo: uses.map(({ msAgo }) => msAgo) }),
  /** Expired keys stay listed for a month, so that their user can find out why they ended. */
  deleteExpired: (db: Queryable) => db.query(deleteExpired),
}

import type { Mode } from '../../../core/mode.ts'
import { one, type Queryable, statement } from '../../../platform/database/database.ts'

export type KeyHolder = { organizationId: string; mode: Mode; registeredUserId: string }

export type McpKeyRow = {
  id: string
  registered_user_id: string
  name: string
  hint: string
  /** Only existing packs; a deleted pack is removed from the key. */
  tool_pack_ids: string[]
  created_at: Date
  expires_at: Date
}
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

const COLUMNS = `k.id, k.registered_user_id, k.name, k.hint, k.created_at, k.expires_at,
  array(select p.id from admission_packs p where p.organization_id = k.organization_id and p.id = any(k.tool_pack_ids)
    order by p.id) as tool_pack_ids`

// Serializes the creation of a user's keys, so that the limit holds.
const lockUser = statement<{ is_active: boolean }>(
  'mcp_keys.lock_user',
  'select is_active from registered_users where organization_id = $1 and mode = $2 and id = $3 for no key update',
)
const findUser = statement<{ id: string }>(
  'mcp_keys.user',
  'select id from admission_users where organization_id = $1 and mode = $2 and id = $3',
)
const countLive = statement<{ live: number }>(
  'mcp_keys.count_live',
  `select count(*)::integer as live from mcp_keys
   where organization_id = $1 and registered_user_id = $2 and expires_at > app_now()`,
)
const selectPacks = statement<{ id: string }>(
  'mcp_keys.packs',
  `select id from admission_packs where organization_id = $1 and case when $2::uuid[] is null then is_default else id = any($2) end`,
)
// The database compares times.
const insertKey = statement<McpKeyRow>(
  'mcp_keys.insert',
  `with k as (
     insert into mcp_keys (organization_id, registered_user_id, id, name, hash, hint, tool_pack_ids, expires_at)
     select $1, $2, $3, $4, $5, $6, $7, until
     from (select coalesce($8::timestamptz, app_now() + make_interval(days => $9::integer)) as until) asked
     where until > app_now() and until <= app_now() + make_interval(days => $10::integer)
     returning *
   )
   select ${COLUMNS} from k`,
)
const selectKeys = statement<McpKeyRow>(
  'mcp_keys.list',
  `select ${COLUMNS} from mcp_keys k
   where k.organization_id = $1 and k.registered_user_id = $2 and ($3::uuid is null or k.id > $3) order by k.id limit $4`,
)
const deleteKey = statement<{ id: string }>(
  'mcp_keys.delete',
  `delete from mcp_keys k using admission_users u
   where k.organization_id = $1 and u.organization_id = $1 and u.mode = $2 and u.id = $3 and k.registered_user_id = u.id and k.id = $4
   returning k.id`,
)
const deleteExpired = statement<never>(
  'mcp_keys.delete_expired',
  `delete from mcp_keys where expires_at < app_now() - interval '30 days'`,
)

export const mcpKeyStore = {
  lockUser: (tx: Queryable, { organizationId, mode, registeredUserId }: KeyHolder) =>
    one(tx, lockUser, [organizationId, mode, registeredUserId]),
  findUser: (db: Queryable, { organizationId, mode, registeredUserId }: KeyHolder) =>
    one(db, findUser, [organizationId, mode, registeredUserId]),
  countLive: async (tx: Queryable, { organizationId, registeredUserId }: KeyHolder) =>
    (await one(tx, countLive, [organizationId, registeredUserId]))?.live ?? 0,
  /** The existing packs among these IDs; null: the default pack. */
  packs: async (tx: Queryable, organizationId: string, ids: string[] | null) =>
    (await tx.query(selectPacks, [organizationId, ids])).map(({ id }) => id),
  /** Null if the expiry is beyond the allowed time. */
  insert: (
    tx: Queryable,
    { organizationId, registeredUserId }: KeyHolder,
    key: NewMcpKey,
    mostDays: number,
  ) =>
    one(tx, insertKey, [
      organizationId,
      registeredUserId,
      key.id,
      key.name,
      key.hash,
      key.hint,
      key.toolPackIds,
      key.expiresAt,
      key.expiresInDays,
      mostDays,
    ]),
  list: (
    db: Queryable,
    { organizationId, registeredUserId }: KeyHolder,
    page: { after: string | null; limit: number },
  ) => db.query(selectKeys, [organizationId, registeredUserId, page.after, page.limit]),
  delete: (db: Queryable, { organizationId, mode, registeredUserId }: KeyHolder, id: string) =>
    one(db, deleteKey, [organizationId, mode, registeredUserId, id]),
  /** Expired keys stay listed for a month, so that their user can find out why they ended. */
  deleteExpired: (db: Queryable) => db.query(deleteExpired),
}

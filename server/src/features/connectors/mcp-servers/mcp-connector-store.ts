import { json, one, type Queryable, statement } from '../../../platform/database/database.ts'
import type { DiscoveredServer } from '../../oauth/discovery.ts'
import type { McpTool, VettedTools } from '../../upstream/mcp-client/tool-definitions.ts'

export type McpAuthentication = 'none' | 'user_secret' | 'organization_secret' | 'oauth'
export type ToolChanges = 'review' | 'auto'
export type McpConnectorRow = {
  organization_id: string
  id: string
  slug: string
  name: string
  summary: string
  source: 'custom' | 'catalogue'
  url: string
  authentication: McpAuthentication
  header_name: string
  header_prefix: string
  sealed_secret: Buffer | null
  authorization_server: DiscoveredServer | null
  revision: string | null
  tool_changes: ToolChanges
  tools_hash: string | null
  tool_problems: string[]
  pending_hash: string | null
  pending_since: Date | null
  checked_at: Date | null
  check_problem: string | null
  created_at: Date
}
export type NewMcpConnector = Omit<
  McpConnectorRow,
  | 'tools_hash'
  | 'tool_problems'
  | 'pending_hash'
  | 'pending_since'
  | 'checked_at'
  | 'check_problem'
  | 'created_at'
>
/** Missing fields stay unchanged, because another request may be changing them. */
export type McpConnectorChange = Partial<
  Pick<McpConnectorRow, 'name' | 'summary' | 'tool_changes' | 'sealed_secret'>
>

const COLUMNS = `organization_id, id, slug, name, summary, source, url, authentication, header_name, header_prefix, sealed_secret,
  authorization_server, revision, tool_changes, tools_hash, tool_problems, pending_hash, pending_since, checked_at, check_problem, created_at`

/** `tool_count`: null if the tools are unknown. */
export type CountedMcpConnectorRow = McpConnectorRow & { tool_count: number | null }

const selectAll = statement<CountedMcpConnectorRow>(
  'mcp_connectors.all',
  `select ${COLUMNS}, case when tools_hash is not null then (
     select count(*)::integer from mcp_tools t where t.organization_id = c.organization_id and t.connector_id = c.id) end as tool_count
   from mcp_connectors c where organization_id = $1 and removed_at is null order by slug`,
)
const selectOne = statement<McpConnectorRow>(
  'mcp_connectors.one',
  `select ${COLUMNS} from mcp_connectors where organization_id = $1 and slug = $2 and removed_at is null`,
)
const selectById = statement<McpConnectorRow>(
  'mcp_connectors.by_id',
  `select ${COLUMNS} from mcp_connectors where organization_id = $1 and id = $2`,
)
const selectSlugsAmong = statement<{ slug: string }>(
  'mcp_connectors.slugs_among',
  `select distinct slug from mcp_connectors where source = 'custom' and removed_at is null and slug = any($1)`,
)
// Locks the row, so that a change of the pinned tools is based on their current state.
const lockOne = statement<McpConnectorRow>(
  'mcp_connectors.lock',
  `select ${COLUMNS} from mcp_connectors where organization_id = $1 and id = $2 and removed_at is null for no key update`,
)
const holdOne = statement<{ id: string }>(
  'mcp_connectors.hold',
  'select id from mcp_connectors where organization_id = $1 and id = $2 and removed_at is null for share',
)
// Serializes the creation of connectors, so that the limit holds for concurrent requests.
const lockOrganization = statement<{ id: string }>(
  'mcp_connectors.lock_organization',
  'select id from organizations where id = $1 for no key update',
)
const count = statement<{ connectors: number }>(
  'mcp_connectors.count',
  `select count(*)::int as connectors from mcp_connectors
   where organization_id = $1 and removed_at is null`,
)
// If two requests create the same connector, both continue with the row of the first.
const insert = statement<McpConnectorRow>(
  'mcp_connectors.insert',
  `insert into mcp_connectors (organization_id, id, slug, name, summary, source, url, authentication, header_name, header_prefix,
     sealed_secret, authorization_server, revision, tool_changes)
   values ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14)
   on conflict (organization_id, slug) where removed_at is null do nothing returning ${COLUMNS}`,
)
const update = statement<McpConnectorRow>(
  'mcp_connectors.update',
  `update mcp_connectors set name = coalesce($3, name), summary = coalesce($4, summary),
     tool_changes = coalesce($5, tool_changes), sealed_secret = coalesce($6, sealed_secret)
   where organization_id = $1 and id = $2 and removed_at is null returning ${COLUMNS}`,
)
// The OAuth client is kept for revocations only. The slug may be assigned to another server.
const remove = statement<McpConnectorRow>(
  'mcp_connectors.remove',
  `with removed as (
     update mcp_connectors set removed_at = app_now() where organization_id = $1 and slug = $2 and removed_at is null
     returning ${COLUMNS}
   ), superseded as (
     update oauth_apps a set superseded_at = app_now() from removed r
     where a.organization_id = r.organization_id and a.context = r.id::text and a.superseded_at is null
   )
   select * from removed`,
)
const deleteRemoved = statement<never>(
  'mcp_connectors.delete_removed',
  `with gone as (delete from mcp_connectors where removed_at < app_now() - interval '2 days' returning organization_id, id)
   delete from oauth_apps a using gone g where a.organization_id = g.organization_id and a.context = g.id::text`,
)
const pin = statement<never>(
  'mcp_connectors.pin',
  `with pinned as (
     update mcp_connectors set tools_hash = $3, tool_problems = $5, pending_tools = null, pending_hash = null, pending_since = null
     where organization_id = $1 and id = $2 and tools_hash is distinct from $3 returning organization_id, id
   ), dropped as (
     delete from mcp_tools t using pinned p where t.organization_id = p.organization_id and t.connector_id = p.id
       and not exists (select from jsonb_array_elements($4::jsonb) e where e ->> 'name' = t.name)
   )
   insert into mcp_tools (organization_id, connector_id, name, upstream_name, position, definition)
   select p.organization_id, p.id, e.value ->> 'name', e.value ->> 'upstreamName', e.ordinality::integer, e.value
   from pinned p, jsonb_array_elements($4::jsonb) with ordinality e
   on conflict (organization_id, connector_id, name) do update set
     upstream_name = excluded.upstream_name, position = excluded.position, definition = excluded.definition`,
)
const setPending = statement<{ changed: boolean }>(
  'mcp_connectors.set_pending',
  `update mcp_connectors set pending_tools = $4, pending_hash = $3, pending_since = app_now()
   where organization_id = $1 and id = $2 and pending_hash is distinct from $3 returning true as changed`,
)
const clearPending = statement<never>(
  'mcp_connectors.clear_pending',
  `update mcp_connectors set pending_tools = null, pending_hash = null, pending_since = null
   where organization_id = $1 and id = $2 and pending_hash is not null`,
)
const selectPending = statement<{ found: VettedTools; hash: string }>(
  'mcp_connectors.pending',
  `select pending_tools as found, pending_hash as hash from mcp_connectors
   where organization_id = $1 and id = $2 and pending_hash is not null`,
)
const markChecked = statement<never>(
  'mcp_connectors.mark_checked',
  `update mcp_connectors set checked_at = app_now(), check_problem = $3, revision = coalesce($4, revision)
   where organization_id = $1 and id = $2`,
)
const setRevision = statement<never>(
  'mcp_connectors.set_revision',
  'update mcp_connectors set revision = $3 where organization_id = $1 and id = $2',
)
const selectTools = statement<{ definition: McpTool }>(
  'mcp_tools.of_connector',
  'select definition from mcp_tools where organization_id = $1 and connector_id = $2 order by position',
)
// Null: unknown until an account is linked.
const selectSchemas = statement<{ id: string; tools: Pick<McpTool, 'name' | 'inputSchema'>[] | null }>(
  'mcp_tools.schemas',
  `select c.id, case when c.tools_hash is not null then (
     select coalesce(jsonb_agg(jsonb_build_object('name', t.name, 'inputSchema', t.definition -> 'inputSchema')), '[]')
     from mcp_tools t where t.organization_id = c.organization_id and t.connector_id = c.id) end as tools
   from mcp_connectors c where c.organization_id = $1 and c.id = any($2::uuid[]) and c.removed_at is null`,
)
// Taking a row updates its time, so that two workers never check the same server, and a crashed worker leaves it for
// the next round.
const takeDue = statement<McpConnectorRow>(
  'mcp_connectors.take_due',
  `update mcp_connectors set checked_at = app_now()
   where (organization_id, id) in (
     select organization_id, id from mcp_connectors
     where authentication in ('none', 'organization_secret') and removed_at is null and (checked_at is null or checked_at < app_now() - interval '1 hour')
     order by checked_at nulls first limit $1 for update skip locked)
   returning ${COLUMNS}`,
)

export const mcpConnectorStore = {
  all: (db: Queryable, organizationId: string) => db.query(selectAll, [organizationId]),
  find: (db: Queryable, organizationId: string, slug: string) => one(db, selectOne, [organizationId, slug]),
  byId: (db: Queryable, organizationId: string, id: string) => one(db, selectById, [organizationId, id]),
  slugsAmong: (db: Queryable, slugs: string[]) => db.query(selectSlugsAmong, [slugs]),
  lockOrganization: (tx: Queryable, organizationId: string) => tx.query(lockOrganization, [organizationId]),
  count: async (db: Queryable, organizationId: string) =>
    (await one(db, count, [organizationId]))?.connectors ?? 0,
  insert: (tx: Queryable, row: NewMcpConnector) =>
    one(tx, insert, [
      row.organization_id,
      row.id,
      row.slug,
      row.name,
      row.summary,
      row.source,
      row.url,
      row.authentication,
      row.header_name,
      row.header_prefix,
      row.sealed_secret,
      row.authorization_server === null ? null : json(row.authorization_server),
      row.revision,
      row.tool_changes,
    ]),
  lock: (tx: Queryable, { organization_id, id }: Pick<McpConnectorRow, 'organization_id' | 'id'>) =>
    one(tx, lockOne, [organization_id, id]),
  hold: (tx: Queryable, organizationId: string, id: string) => one(tx, holdOne, [organizationId, id]),
  update: (tx: Queryable, { organization_id, id }: McpConnectorRow, change: McpConnectorChange) =>
    one(tx, update, [
      organization_id,
      id,
      change.name ?? null,
      change.summary ?? null,
      change.tool_changes ?? null,
      change.sealed_secret ?? null,
    ]),
  remove: (tx: Queryable, organizationId: string, slug: string) => one(tx, remove, [organizationId, slug]),
  deleteRemoved: (db: Queryable) => db.query(deleteRemoved),
  tools: async (db: Queryable, organizationId: string, id: string) =>
    (await db.query(selectTools, [organizationId, id])).map(({ definition }) => definition),
  schemas: (db: Queryable, organizationId: string, ids: string[]) =>
    db.query(selectSchemas, [organizationId, ids]),
  pin: (tx: Queryable, { organization_id, id }: McpConnectorRow, hash: string, found: VettedTools) =>
    tx.query(pin, [organization_id, id, hash, json(found.tools), json(found.problems)]),
  setPending: (tx: Queryable, { organization_id, id }: McpConnectorRow, hash: string, found: VettedTools) =>
    one(tx, setPending, [organization_id, id, hash, json(found)]),
  clearPending: (tx: Queryable, { organization_id, id }: McpConnectorRow) =>
    tx.query(clearPending, [organization_id, id]),
  pending: (db: Queryable, { organization_id, id }: McpConnectorRow) =>
    one(db, selectPending, [organization_id, id]),
  markChecked: (
    db: Queryable,
    { organization_id, id }: McpConnectorRow,
    problem: string | null,
    revision: string | null,
  ) => db.query(markChecked, [organization_id, id, problem, revision]),
  setRevision: (db: Queryable, organizationId: string, id: string, revision: string) =>
    db.query(setRevision, [organizationId, id, revision]),
  takeDue: (db: Queryable, limit: number) => db.query(takeDue, [limit]),
}

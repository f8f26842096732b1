import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  array,
  bigint,
  boolean,
  bytea,
  ensured,
  integer,
  jsonb,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { DiscoveredServer } from '../../oauth/discovery.ts'
import type { McpTool, VettedTools } from '../../upstream/mcp-client/tool-definitions.ts'

export type McpAuthentication = 'none' | 'user_secret' | 'organization_secret' | 'oauth'
export type ToolChanges = 'review' | 'auto'
const newMcpConnectorColumns = {
  organizationId: uuid,
  id: uuid,
  slug: text,
  name: text,
  summary: text,
  source: typed<'custom' | 'catalog'>(text),
  url: text,
  authentication: typed<McpAuthentication>(text),
  headerName: text,
  headerPrefix: text,
  sealedSecret: nullable(bytea),
  authorizationServer: nullable(typed<DiscoveredServer>(jsonb)),
  revision: nullable(text),
  toolChanges: typed<ToolChanges>(text),
}
export type NewMcpConnector = Values<typeof newMcpConnectorColumns>

const mcpConnectorColumns = {
  ...newMcpConnectorColumns,
  toolsHash: nullable(text),
  toolProblems: typed<string[]>(jsonb),
  pendingHash: nullable(text),
  pendingSince: nullable(timestamptz),
  checkedAt: nullable(timestamptz),
  checkProblem: nullable(text),
  createdAt: timestamptz,
}
export type StoredMcpConnector = Values<typeof mcpConnectorColumns>
/** Null leaves a field unchanged, because another request may be changing it. */
const changeColumns = {
  name: nullable(text),
  summary: nullable(text),
  toolChanges: nullable(typed<ToolChanges>(text)),
  sealedSecret: nullable(bytea),
}
export type McpConnectorChange = Values<typeof changeColumns>

const COLUMNS = `organization_id, id, slug, name, summary, source, url, authentication, header_name, header_prefix, sealed_secret,
  authorization_server, revision, tool_changes, tools_hash, tool_problems, pending_hash, pending_since, checked_at,
    check_problem, created_at`

/** `toolCount`: null if the tools are unknown. */
const countedMcpConnectorColumns = { ...mcpConnectorColumns, toolCount: nullable(integer) }
export type CountedMcpConnector = Values<typeof countedMcpConnectorColumns>

const selectAll = statement({
  name: 'mcp_connectors.all',
  parameters: { organizationId: uuid },
  columns: countedMcpConnectorColumns,
  sql: `select ${COLUMNS}, case when tools_hash is not null then (
     select count(*)::integer from mcp_tools t where t.organization_id = c.organization_id
       and t.connector_id = c.id) end as tool_count
   from mcp_connectors c where organization_id = :organizationId and removed_at is null order by slug`,
})
const selectOne = statement({
  name: 'mcp_connectors.one',
  parameters: { organizationId: uuid, slug: text },
  columns: mcpConnectorColumns,
  sql: `select ${COLUMNS} from mcp_connectors where organization_id = :organizationId and slug = :slug and removed_at is null`,
})
const selectById = statement({
  name: 'mcp_connectors.by_id',
  parameters: { organizationId: uuid, id: uuid },
  columns: mcpConnectorColumns,
  sql: `select ${COLUMNS} from mcp_connectors where organization_id = :organizationId and id = :id`,
})
// Also publishes the slugs of the catalog, for the check of an organization that arrives later.
const selectSlugsAmong = statement({
  name: 'mcp_connectors.slugs_among',
  parameters: { slugs: array(text) },
  columns: { slug: text },
  sql: `with published as (
     insert into catalog_slugs select unnest(:slugs::text[]) on conflict do nothing
   )
   select distinct slug from mcp_connectors where source = 'custom' and removed_at is null and slug = any(:slugs)`,
})
// Locks the row, so that a change of the pinned tools is based on their current state.
const lockOne = statement({
  name: 'mcp_connectors.lock',
  parameters: { organizationId: uuid, id: uuid },
  columns: mcpConnectorColumns,
  sql: `select ${COLUMNS} from mcp_connectors where organization_id = :organizationId and id = :id
   and removed_at is null for no key update`,
})
const holdOne = statement({
  name: 'mcp_connectors.hold',
  parameters: { organizationId: uuid, id: uuid },
  columns: { id: uuid },
  sql: `select id from mcp_connectors where organization_id = :organizationId and id = :id and removed_at is null for share`,
})
// Serializes the creation of connectors, so that the limit holds for concurrent requests.
const lockOrganization = statement({
  name: 'mcp_connectors.lock_organization',
  parameters: { organizationId: uuid },
  columns: { id: uuid },
  sql: 'select id from organizations where id = :organizationId for no key update',
})
const count = statement({
  name: 'mcp_connectors.count',
  parameters: { organizationId: uuid },
  columns: { connectors: integer },
  sql: `select count(*)::int as connectors from mcp_connectors
   where organization_id = :organizationId and removed_at is null`,
})
// If two requests create the same connector, both continue with the row of the first.
const insert = statement({
  name: 'mcp_connectors.insert',
  parameters: newMcpConnectorColumns,
  columns: mcpConnectorColumns,
  sql: `insert into mcp_connectors (organization_id, id, slug, name, summary, source, url, authentication, header_name,
   header_prefix,
     sealed_secret, authorization_server, revision, tool_changes)
   values (:organizationId, :id, :slug, :name, :summary, :source, :url, :authentication, :headerName, :headerPrefix,
     :sealedSecret, :authorizationServer, :revision, :toolChanges)
   on conflict (organization_id, slug) where removed_at is null do nothing returning ${COLUMNS}`,
})
const update = statement({
  name: 'mcp_connectors.update',
  parameters: { organizationId: uuid, id: uuid, ...changeColumns },
  columns: mcpConnectorColumns,
  sql: `update mcp_connectors set name = coalesce(:name, name), summary = coalesce(:summary, summary),
     tool_changes = coalesce(:toolChanges, tool_changes), sealed_secret = coalesce(:sealedSecret, sealed_secret)
   where organization_id = :organizationId and id = :id and removed_at is null returning ${COLUMNS}`,
})
// The OAuth client is kept for revocations only. The slug may be assigned to another server.
const remove = statement({
  name: 'mcp_connectors.remove',
  parameters: { organizationId: uuid, slug: text },
  columns: mcpConnectorColumns,
  sql: `with removed as (
     update mcp_connectors set removed_at = app_now() where organization_id = :organizationId and slug = :slug
       and removed_at is null
     returning ${COLUMNS}
   ), superseded as (
     update oauth_apps a set superseded_at = app_now() from removed r
     where a.organization_id = r.organization_id and a.context = r.id::text and a.superseded_at is null
   )
   select * from removed`,
})
const deleteRemoved = statement({
  name: 'mcp_connectors.delete_removed',
  sql: `with gone as (
     delete from mcp_connectors where removed_at < app_now() - interval '2 days' and organization_id not in (select id from unserved_organizations)
     returning organization_id, id)
   delete from oauth_apps a using gone g where a.organization_id = g.organization_id and a.context = g.id::text`,
})
const pin = statement({
  name: 'mcp_connectors.pin',
  parameters: { organizationId: uuid, id: uuid, hash: text, tools: jsonb, problems: jsonb },
  sql: `with pinned as (
     update mcp_connectors set tools_hash = :hash, tool_problems = :problems, pending_tools = null, pending_hash = null,
       pending_since = null
     where organization_id = :organizationId and id = :id and tools_hash is distinct from :hash returning organization_id, id
   ), dropped as (
     delete from mcp_tools t using pinned p where t.organization_id = p.organization_id and t.connector_id = p.id
       and not exists (select from jsonb_array_elements(:tools::jsonb) e where e ->> 'name' = t.name)
   )
   insert into mcp_tools (organization_id, connector_id, name, upstream_name, position, definition)
   select p.organization_id, p.id, e.value ->> 'name', e.value ->> 'upstreamName', e.ordinality::integer, e.value
   from pinned p, jsonb_array_elements(:tools::jsonb) with ordinality e
   on conflict (organization_id, connector_id, name) do update set
     upstream_name = excluded.upstream_name, position = excluded.position, definition = excluded.definition`,
})
const setPending = statement({
  name: 'mcp_connectors.set_pending',
  parameters: { organizationId: uuid, id: uuid, hash: text, found: jsonb },
  columns: { changed: boolean },
  sql: `update mcp_connectors set pending_tools = :found, pending_hash = :hash, pending_since = app_now()
   where organization_id = :organizationId and id = :id and pending_hash is distinct from :hash returning true as changed`,
})
const clearPending = statement({
  name: 'mcp_connectors.clear_pending',
  parameters: { organizationId: uuid, id: uuid },
  sql: `update mcp_connectors set pending_tools = null, pending_hash = null, pending_since = null
   where organization_id = :organizationId and id = :id and pending_hash is not null`,
})
const selectPending = statement({
  name: 'mcp_connectors.pending',
  parameters: { organizationId: uuid, id: uuid },
  columns: { found: ensured(typed<VettedTools>(jsonb)), hash: ensured(text) },
  sql: `select pending_tools as found, pending_hash as hash from mcp_connectors
   where organization_id = :organizationId and id = :id and pending_hash is not null`,
})
const markChecked = statement({
  name: 'mcp_connectors.mark_checked',
  parameters: { organizationId: uuid, id: uuid, problem: nullable(text), revision: nullable(text) },
  sql: `update mcp_connectors set checked_at = app_now(), check_problem = :problem, revision = coalesce(:revision, revision)
   where organization_id = :organizationId and id = :id`,
})
const setRevision = statement({
  name: 'mcp_connectors.set_revision',
  parameters: { organizationId: uuid, id: uuid, revision: text },
  sql: 'update mcp_connectors set revision = :revision where organization_id = :organizationId and id = :id',
})
const selectTools = statement({
  name: 'mcp_tools.of_connector',
  parameters: { organizationId: uuid, id: uuid },
  columns: { definition: typed<McpTool>(jsonb) },
  sql: `select definition from mcp_tools where organization_id = :organizationId and connector_id = :id order by position`,
})
// Definitions beyond the limit are counted, but not read.
const searchTools = statement({
  name: 'mcp_tools.search',
  parameters: { organizationId: uuid, text: text, isQualified: boolean, limit: bigint },
  columns: { slug: text, names: array(text), tools: typed<McpTool[]>(jsonb), matched: integer },
  sql: `with tools as (
     select c.slug, t.name, t.position, t.definition, strpos(lower(case when :isQualified::boolean then c.slug || '__' || t.name
       else t.name || ' ' || coalesce(t.definition ->> 'title', '') end), :text) > 0 as matches
     from mcp_connectors c
     join mcp_tools t on t.organization_id = c.organization_id and t.connector_id = c.id
     where c.organization_id = :organizationId and c.removed_at is null
   ), numbered as (
     select *, count(*) filter (where matches) over (order by slug, position rows unbounded preceding) as number from tools
   )
   select slug, array_agg(name order by position) as names, count(*) filter (where matches)::integer as matched,
     coalesce(jsonb_agg(definition order by position) filter (where matches and number <= :limit), '[]') as tools
   from numbered group by slug having bool_or(matches) order by slug`,
})
// Null: unknown until an account is linked.
const selectSchemas = statement({
  name: 'mcp_tools.schemas',
  parameters: { organizationId: uuid, ids: array(uuid) },
  columns: { id: uuid, tools: nullable(typed<Pick<McpTool, 'name' | 'inputSchema'>[]>(jsonb)) },
  sql: `select c.id, case when c.tools_hash is not null then (
     select coalesce(jsonb_agg(jsonb_build_object('name', t.name, 'inputSchema', t.definition -> 'inputSchema')), '[]')
     from mcp_tools t where t.organization_id = c.organization_id and t.connector_id = c.id) end as tools
   from mcp_connectors c where c.organization_id = :organizationId and c.id = any(:ids::uuid[]) and c.removed_at is null`,
})
// Taking a row updates its time, so that two workers never check the same server, and a crashed worker leaves it for
// the next round.
const takeDue = statement({
  name: 'mcp_connectors.take_due',
  parameters: { limit: bigint },
  columns: mcpConnectorColumns,
  sql: `update mcp_connectors set checked_at = app_now()
   where (organization_id, id) in (
     select organization_id, id from mcp_connectors
     where authentication in ('none', 'organization_secret') and removed_at is null
       and (checked_at is null or checked_at < app_now() - interval '1 hour')
       and organization_id not in (select id from unserved_organizations)
     order by checked_at nulls first limit :limit for update skip locked)
   returning ${COLUMNS}`,
})

export const mcpConnectorStore = {
  all: (db: Queryable, organizationId: string) => db.query(selectAll, { organizationId }),
  find: (db: Queryable, organizationId: string, slug: string) => one(db, selectOne, { organizationId, slug }),
  byId: (db: Queryable, organizationId: string, id: string) => one(db, selectById, { organizationId, id }),
  slugsAmong: (db: Queryable, slugs: string[]) => db.query(selectSlugsAmong, { slugs }),
  lockOrganization: (tx: Queryable, organizationId: string) => tx.query(lockOrganization, { organizationId }),
  count: async (db: Queryable, organizationId: string) =>
    (await one(db, count, { organizationId }))?.connectors ?? 0,
  insert: (tx: Queryable, row: NewMcpConnector) => one(tx, insert, row),
  lock: (tx: Queryable, { organizationId, id }: Pick<StoredMcpConnector, 'organizationId' | 'id'>) =>
    one(tx, lockOne, { organizationId, id }),
  hold: (tx: Queryable, organizationId: string, id: string) => one(tx, holdOne, { organizationId, id }),
  update: (tx: Queryable, { organizationId, id }: StoredMcpConnector, change: McpConnectorChange) =>
    one(tx, update, { ...change, organizationId, id }),
  remove: (tx: Queryable, organizationId: string, slug: string) => one(tx, remove, { organizationId, slug }),
  deleteRemoved: (db: Queryable) => db.query(deleteRemoved),
  searchTools: (
    db: Queryable,
    organizationId: string,
    search: { text: string; isQualified: boolean; limit: number },
  ) => db.query(searchTools, { organizationId, ...search }),
  tools: async (db: Queryable, organizationId: string, id: string) =>
    (await db.query(selectTools, { organizationId, id })).map(({ definition }) => definition),
  schemas: (db: Queryable, organizationId: string, ids: string[]) =>
    db.query(selectSchemas, { organizationId, ids }),
  pin: (tx: Queryable, { organizationId, id }: StoredMcpConnector, hash: string, found: VettedTools) =>
    tx.query(pin, {
      organizationId,
      id,
      hash,
      tools: found.tools,
      problems: found.problems,
    }),
  setPending: (tx: Queryable, { organizationId, id }: StoredMcpConnector, hash: string, found: VettedTools) =>
    one(tx, setPending, { organizationId, id, hash, found }),
  clearPending: (tx: Queryable, { organizationId, id }: StoredMcpConnector) =>
    tx.query(clearPending, { organizationId, id }),
  pending: (db: Queryable, { organizationId, id }: StoredMcpConnector) =>
    one(db, selectPending, { organizationId, id }),
  markChecked: (
    db: Queryable,
    { organizationId, id }: StoredMcpConnector,
    problem: string | null,
    revision: string | null,
  ) => db.query(markChecked, { organizationId, id, problem, revision }),
  setRevision: (db: Queryable, organizationId: string, id: string, revision: string) =>
    db.query(setRevision, { organizationId, id, revision }),
  takeDue: (db: Queryable, limit: number) => db.query(takeDue, { limit }),
}

import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  array,
  jsonb,
  nullable,
  text,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { Choices } from '../../connectors/catalog/tool-choice.ts'
import type { McpTool } from '../../upstream/mcp-client/tool-definitions.ts'
import type { AdmittedServer } from '../admission/admission-rows.ts'
import { type Caller, callerColumns, callerParameters, callerWith } from '../admission/caller-store.ts'

/** The organization's own data for a list of tools. */
const listingColumns = {
  ...callerColumns,
  linkedConnectors: array(text),
  packConnectors: nullable(array(text)),
  packChoices: nullable(typed<Choices>(jsonb)),
  ownApps: array(text),
  mcpConnectors: typed<ListedServer[]>(jsonb),
}
export type Listing = Values<typeof listingColumns>
export type ListedServer = Pick<AdmittedServer, 'name' | 'authentication' | 'toolsHash'> & { slug: string }
const serverToolsColumns = {
  slug: text,
  toolsHash: text,
  tools: typed<McpTool[]>(jsonb),
}
export type ServerTools = Values<typeof serverToolsColumns>

const selectListing = statement({
  name: 'tools.listing',
  parameters: callerParameters,
  columns: listingColumns,
  sql: `select c.*, array(select l.connector_slug from linked_connectors l
       where l.organization_id = c.organization_id and l.registered_user_id = c.user_id) as linked_connectors,
     array(select a.connector_slug from admission_oauth_apps a where a.organization_id = c.organization_id) as own_apps,
     (select coalesce(jsonb_agg(jsonb_build_object('slug', m.slug, 'name', m.name, 'authentication', m.authentication,
        'toolsHash', m.tools_hash)), '[]')
      from admission_mcp_connectors m where m.organization_id = c.organization_id
        and m.slug = any(coalesce(c.pack_connectors, array(
          select o.slug from admission_mcp_connectors o where o.organization_id = c.organization_id)))) as mcp_connectors
   from (${callerWith(', p.connectors as pack_connectors, p.choices as pack_choices')}) c`,
})
const selectServerTools = statement({
  name: 'tools.of_servers',
  parameters: { organizationId: uuid, slugs: array(text) },
  columns: serverToolsColumns,
  sql: `select m.slug, m.tools_hash, (
     select coalesce(jsonb_agg(t.definition), '[]') from admission_mcp_tools t
     where t.organization_id = m.organization_id and t.connector_slug = m.slug) as tools
   from admission_mcp_connectors m
   where m.organization_id = :organizationId and m.slug = any(:slugs::text[]) and m.tools_hash is not null`,
})

export const listingStore = {
  /** Only the connectors that the pack names, if it names any. */
  listing: (db: Queryable, caller: Caller) => one(db, selectListing, caller) as Promise<Listing>,
  serverTools: (db: Queryable, organizationId: string, slugs: string[]) =>
    db.query(selectServerTools, { organizationId, slugs }),
}

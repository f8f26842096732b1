import { one, type Queryable, statement } from '../../../platform/database/database.ts'
import type { Choices } from '../../connectors/catalog/tool-choice.ts'
import type { McpTool } from '../../upstream/mcp-client/tool-definitions.ts'
import { type Caller, type CallerRow, callerWith, type McpServerRow } from '../admission/admission-store.ts'

/** The organization's own data for a list of tools. */
export type ListingRow = CallerRow & {
  linked_connectors: string[]
  pack_connectors: string[] | null
  pack_choices: Choices | null
  own_apps: string[]
  mcp_connectors: ListedServer[]
}
export type ListedServer = Pick<McpServerRow, 'name' | 'authentication' | 'tools_hash'> & { slug: string }
export type ServerTools = { slug: string; tools_hash: string; tools: McpTool[] }

const selectListing = statement<ListingRow>(
  'tools.listing',
  `select c.*, array(select l.connector_slug from linked_connectors l
       where l.organization_id = c.organization_id and l.registered_user_id = c.user_id) as linked_connectors,
     array(select a.connector_slug from admission_oauth_apps a where a.organization_id = c.organization_id) as own_apps,
     (select coalesce(jsonb_agg(jsonb_build_object('slug', m.slug, 'name', m.name, 'authentication', m.authentication,
        'tools_hash', m.tools_hash)), '[]')
      from admission_mcp_connectors m where m.organization_id = c.organization_id
        and m.slug = any(coalesce(c.pack_connectors, array(
          select o.slug from admission_mcp_connectors o where o.organization_id = c.organization_id)))) as mcp_connectors
   from (${callerWith(', p.connectors as pack_connectors, p.choices as pack_choices')}) c`,
)
const selectServerTools = statement<ServerTools>(
  'tools.of_servers',
  `select m.slug, m.tools_hash, (
     select coalesce(jsonb_agg(t.definition), '[]') from admission_mcp_tools t
     where t.organization_id = m.organization_id and t.connector_slug = m.slug) as tools
   from admission_mcp_connectors m
   where m.organization_id = $1 and m.slug = any($2::text[]) and m.tools_hash is not null`,
)

export const listingStore = {
  /** Only the connectors that the pack names, if it names any. */
  listing: (db: Queryable, { keyHash, registeredUserId, toolPackId }: Caller) =>
    one(db, selectListing, [keyHash, registeredUserId, toolPackId]) as Promise<ListingRow>,
  serverTools: (db: Queryable, organizationId: string, slugs: string[]) =>
    db.query(selectServerTools, [organizationId, slugs]),
}

import type { PackAccounts } from '@carabiner/contract'
import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  array,
  boolean,
  bytea,
  jsonb,
  nullable,
  text,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { Choices, Requests } from '../../connectors/catalog/tool-choice.ts'
import type { PackServing } from '../../connectors/tool-packs/tool-pack-settings.ts'
import type { McpTool } from '../../upstream/mcp-client/tool-definitions.ts'
import { accountLabels } from '../admission/account-option-store.ts'
import type { AdmittedServer } from '../admission/admission-rows.ts'
import { revealedTools, type SessionCaller } from '../admission/caller-standing-store.ts'
import { callerColumns, callerParameters, callerWith } from '../admission/caller-store.ts'
import { sharedAccounts } from '../admission/shared-account-store.ts'

const connectorColumns = {
  packConnectors: nullable(array(text)),
  packChoices: nullable(typed<Choices>(jsonb)),
  packFavorites: nullable(array(text)),
  packRequests: nullable(typed<Requests>(jsonb)),
  ownApps: array(text),
  mcpConnectors: typed<ListedServer[]>(jsonb),
}
/** The labels of the user's accounts, by connector. A connector with one account and without a rule of the
 * pack is left out, because its tools do not offer a choice. */
export type AccountLabels = Record<string, string[]>
/** The organization's own data for a list of tools. */
const listingColumns = {
  ...callerColumns,
  linkedConnectors: array(text),
  /** Found by a search of the session. Null if the pack is not served as `reveal`. */
  revealedTools: nullable(array(text)),
  packAccounts: nullable(typed<PackAccounts>(jsonb)),
  organizationPolicyHash: nullable(text),
  packPolicyHash: nullable(text),
  accounts: typed<AccountLabels>(jsonb),
  ...connectorColumns,
}
export type Listing = Values<typeof listingColumns>
/** The same without a user. */
const packListingColumns = {
  organizationId: uuid,
  packResultHandles: boolean,
  packExplainAccess: boolean,
  packRenewalNotices: boolean,
  packServing: typed<PackServing>(text),
  ...connectorColumns,
}
export type PackListing = Values<typeof packListingColumns>
export type ListedServer = Pick<AdmittedServer, 'name' | 'authentication' | 'toolsHash'> & { slug: string }
const serverToolsColumns = {
  slug: text,
  toolsHash: text,
  tools: typed<McpTool[]>(jsonb),
}
export type ServerTools = Values<typeof serverToolsColumns>

/** OAuth apps and MCP servers of the organization of `c`, limited to the pack of `c`. */
const CONNECTORS_OF_PACK = `
     array(select a.connector_slug from admission_oauth_apps a where a.organization_id = c.organization_id) as own_apps,
     (select coalesce(jsonb_agg(jsonb_build_object('slug', m.slug, 'name', m.name, 'authentication', m.authentication,
        'toolsHash', m.tools_hash)), '[]')
      from admission_mcp_connectors m where m.organization_id = c.organization_id
        and m.slug = any(coalesce(c.pack_connectors, array(
          select o.slug from admission_mcp_connectors o where o.organization_id = c.organization_id)))) as mcp_connectors`

const selectListing = statement({
  name: 'tools.listing',
  parameters: { ...callerParameters, sessionHash: bytea },
  columns: listingColumns,
  sql: `select c.*, array(select l.connector_slug from linked_connectors l
       where l.organization_id = c.organization_id and l.registered_user_id = c.user_id
       union select shared.connector_slug from (${sharedAccounts('c')}) shared) as linked_connectors,
     (select o.policy_hash from admission_organizations o where o.id = c.organization_id) as organization_policy_hash,
     ${revealedTools('c')} as revealed_tools, ${accountLabels('c')} as accounts, ${CONNECTORS_OF_PACK}
   from (${callerWith(', p.connectors as pack_connectors, p.choices as pack_choices, p.favorites as pack_favorites, p.accounts as pack_accounts, p.requests as pack_requests, p.policy_hash as pack_policy_hash')}) c`,
})
/** The chosen connectors are SQL, so that those of a draft can take the place of the saved ones. */
const packListingWith = (chosen: string): string => `select c.*, ${CONNECTORS_OF_PACK}
   from (select p.organization_id, ${chosen}, p.favorites as pack_favorites, p.result_handles as pack_result_handles,
       p.explain_access as pack_explain_access, p.renewal_notices as pack_renewal_notices, p.serving as pack_serving
     from admission_packs p where p.organization_id = :organizationId and p.id = :toolPackId) c`
const selectPackListing = statement({
  name: 'tools.pack_listing',
  parameters: { organizationId: uuid, toolPackId: uuid },
  columns: packListingColumns,
  sql: packListingWith(
    'p.connectors as pack_connectors, p.choices as pack_choices, p.requests as pack_requests',
  ),
})
const draftParameters = {
  connectors: nullable(array(text)),
  choices: typed<Choices>(jsonb),
  requests: typed<Requests>(jsonb),
}
export type DraftChoice = Values<typeof draftParameters>
const selectDraftListing = statement({
  name: 'tools.draft_listing',
  parameters: { organizationId: uuid, toolPackId: uuid, ...draftParameters },
  columns: packListingColumns,
  sql: packListingWith(
    ':connectors::text[] as pack_connectors, :choices::jsonb as pack_choices, :requests::jsonb as pack_requests',
  ),
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
  listing: (db: Queryable, { keyHash, registeredUserId, toolPackId, sessionHash }: SessionCaller) =>
    one(db, selectListing, { keyHash, registeredUserId, toolPackId, sessionHash }) as Promise<Listing>,
  /** The data for a list of the pack's tools, for any user. */
  packListing: (db: Queryable, organizationId: string, toolPackId: string) =>
    one(db, selectPackListing, { organizationId, toolPackId }),
  /** The same as if these connectors were saved. */
  draftListing: (db: Queryable, organizationId: string, toolPackId: string, draft: DraftChoice) =>
    one(db, selectDraftListing, { organizationId, toolPackId, ...draft }),
  serverTools: (db: Queryable, organizationId: string, slugs: string[]) =>
    db.query(selectServerTools, { organizationId, slugs }),
}

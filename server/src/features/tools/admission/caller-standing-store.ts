import type { OrganizationState } from '../../../core/organization-state.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  boolean,
  bytea,
  nullable,
  text,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import { accountLabels } from './account-option-store.ts'
import { type Caller, callerParameters, callerWith } from './caller-store.ts'

/** `sessionHash` identifies the session whose list of tools is requested. */
export type SessionCaller = Caller & { sessionHash: Buffer }

/** The tools that searches have added to the list of the session, in a pack that is served as `reveal`. */
export const revealedTools = (caller: string): string => `
     case when ${caller}.pack_serving = 'reveal' then (select r.tools from revealed_tools r
       where r.organization_id = ${caller}.organization_id and r.registered_user_id = ${caller}.user_id
         and r.tool_pack_id = ${caller}.pack_id and r.session_hash = :sessionHash and r.expires_at > app_now()) end`

/** Whether a caller is still admitted, and a version that changes whenever its list of tools may change. */
const standingColumns = {
  organizationId: nullable(uuid),
  organizationState: typed<OrganizationState>(text),
  userId: nullable(uuid),
  packId: nullable(uuid),
  userActive: boolean,
  tools: text,
}
export type CallerStanding = Values<typeof standingColumns>

const selectStanding = statement({
  name: 'tools.standing',
  parameters: { ...callerParameters, sessionHash: bytea },
  columns: standingColumns,
  sql: `select c.organization_id, c.organization_state, c.user_id, c.pack_id, c.user_active, md5(jsonb_build_array(p.connectors, p.choices,
   p.result_handles, p.explain_access, p.renewal_notices, p.serving, p.favorites, p.requests, ${revealedTools('c')}, p.accounts,
     ${accountLabels('c')},
     p.policy_hash, (select o.policy_hash from admission_organizations o where o.id = c.organization_id),
     (select jsonb_agg(distinct l.connector_slug order by l.connector_slug) from linked_connectors l
      where l.organization_id = c.organization_id and l.registered_user_id = c.user_id),
     (select jsonb_agg(a.connector_slug order by a.connector_slug) from admission_oauth_apps a
       where a.organization_id = c.organization_id),
     (select jsonb_agg(jsonb_build_array(m.slug, m.tools_hash) order by m.slug) from admission_mcp_connectors m
      where m.organization_id = c.organization_id))::text) as tools
   from (${callerWith(', p.accounts as pack_accounts')}) c left join admission_packs p on p.organization_id = c.organization_id and p.id = c.pack_id`,
})

/** Read by a call that waits for its user. `connected`: whether a usable credential has appeared. */
const awaitedColumns = {
  organizationId: nullable(uuid),
  organizationState: typed<OrganizationState>(text),
  userId: nullable(uuid),
  packId: nullable(uuid),
  userActive: boolean,
  connected: boolean,
}
export type AwaitedCaller = Values<typeof awaitedColumns>

/**
 * `insufficient`: the credential, as `id:version`, that the call could not be made with. `credentialId`: the one that it names.
 * `fixedAccount`: the label or the ID of the one that the pack fixes.
 */
export type AwaitedAccount = {
  connectorSlug: string
  credentialId: string | null
  fixedAccount: string | null
  insufficient: string | null
}

const selectAwaited = statement({
  name: 'tools.awaited',
  parameters: {
    ...callerParameters,
    connectorSlug: text,
    credentialId: nullable(uuid),
    fixedAccount: nullable(text),
    insufficient: nullable(text),
  },
  columns: awaitedColumns,
  sql: `select c.organization_id, c.organization_state, c.user_id, c.pack_id, c.user_active, exists (
     select from admission_credentials a where a.organization_id = c.organization_id
       and a.registered_user_id = c.user_id and a.connector_slug = :connectorSlug and a.status = 'active'
       and coalesce(a.id = :credentialId, true) and coalesce(:fixedAccount in (a.label, a.id::text), true)
       and a.id || ':' || a.version is distinct from :insufficient) as connected
   from (${callerWith()}) c`,
})

export const standingStore = {
  read: (db: Queryable, { keyHash, registeredUserId, toolPackId, sessionHash }: SessionCaller) =>
    one(db, selectStanding, {
      keyHash,
      registeredUserId,
      toolPackId,
      sessionHash,
    }) as Promise<CallerStanding>,
  awaited: (db: Queryable, { keyHash, registeredUserId, toolPackId }: Caller, awaited: AwaitedAccount) =>
    one(db, selectAwaited, {
      keyHash,
      registeredUserId,
      toolPackId,
      ...awaited,
    }) as Promise<AwaitedCaller>,
}

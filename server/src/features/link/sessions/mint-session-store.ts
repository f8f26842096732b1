import type { LinkBinding } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import type { OrganizationState } from '../../../core/organization-state.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  arraysOf,
  boolean,
  bytea,
  double,
  nullable,
  text,
  timestamptz,
  toArrays,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { ScopesReason } from '../../connectors/link-scopes.ts'

const mintColumns = {
  organizationId: uuid,
  mode: typed<Mode>(text),
  registeredUserId: uuid,
  toolPackId: nullable(uuid),
  connectorSlug: nullable(text),
  callbackUrl: nullable(text),
  callbackOrigin: nullable(text),
  state: nullable(text),
  /** Joined by spaces, which no scope contains, because `unnest` flattens nested arrays. */
  moreScopes: nullable(text),
  scopesReason: nullable(typed<ScopesReason>(text)),
  /** The tools that the request names, which the pack must offer. Joined by spaces. */
  tools: nullable(text),
  /** The credential to reconnect or to replace. */
  credentialId: nullable(uuid),
  accountChoice: typed<AccountChoice>(text),
  accountLabel: nullable(text),
  sessionId: uuid,
  secretHash: bytea,
}
/** Whether a user who links another account is asked to replace one or to add it. */
export type AccountChoice = 'ask' | 'add' | 'replace'
export type NewSession = Values<typeof mintColumns>

/** The checks of one mint request. `expiresAt` is set if and only if the session was inserted. */
const mintResultColumns = {
  organizationState: typed<OrganizationState>(text),
  userActive: nullable(boolean),
  toolPackId: nullable(uuid),
  inPack: boolean,
  /** A tool that the request names and the pack does not offer. */
  missingTool: nullable(text),
  originListed: boolean,
  credentialFound: boolean,
  linkBinding: typed<LinkBinding>(text),
  expiresAt: nullable(timestamptz),
}
export type MintResult = Values<typeof mintResultColumns>

const CHECKED = `with requested as (
     select * from unnest(:organizationId::uuid[], :mode::text[], :registeredUserId::uuid[], :toolPackId::uuid[],
       :connectorSlug::text[], :callbackUrl::text[], :callbackOrigin::text[], :state::text[], :moreScopes::text[],
       :scopesReason::text[], :tools::text[], :credentialId::uuid[], :accountChoice::text[], :accountLabel::text[], :sessionId::uuid[], :secretHash::bytea[]) with ordinality as t(organization_id, mode, user_id, pack_id,
       connector, callback_url, callback_origin, state, more_scopes, scopes_reason, tools, credential_id,
       account_choice, account_label, session_id, secret_hash, position)
   ), checked as (
     select a.*, u.is_active as user_active, p.id as tool_pack_id, o.link_binding,
       o.state as organization_state,
       a.connector is null or p.connectors is null or a.connector = any(p.connectors) as in_pack,
       (select t.name from unnest(string_to_array(a.tools, ' ')) t(name)
         where p.choices ? a.connector and not p.choices -> a.connector ? t.name limit 1) as missing_tool,
       a.callback_origin is null or exists (
         select from callback_origins c where c.organization_id = a.organization_id
           and c.origin = a.callback_origin) as origin_listed,
       a.credential_id is null or exists (
         select from linked_accounts l where l.organization_id = a.organization_id and l.registered_user_id = a.user_id
           and l.id = a.credential_id and l.connector_slug = a.connector) as credential_found
     from requested a
     join organizations o on o.id = a.organization_id
     left join registered_users u on u.organization_id = a.organization_id and u.id = a.user_id and u.mode = a.mode
     left join tool_packs p on p.organization_id = a.organization_id and (p.id = a.pack_id or (a.pack_id is null and p.is_default))
   )`
const PASSES = `organization_state = 'active' and user_active and tool_pack_id is not null and in_pack and missing_tool is null and origin_listed and credential_found
       and (link_binding <> 'code_only' or state is not null)`
const EXPIRY = 'app_now() + make_interval(secs => :lifetimeSeconds)'
const mintParameters = { ...arraysOf(mintColumns), lifetimeSeconds: double }

// Checks and insert are one statement, so that no condition can change between them.
const mintSessions = statement({
  name: 'link_sessions.mint',
  parameters: mintParameters,
  columns: mintResultColumns,
  sql: `${CHECKED}, minted as (
     insert into link_sessions (organization_id, id, registered_user_id, mode, tool_pack_id, locked_connector, callback_url,
       callback_origin, state, more_scopes, scopes_reason, credential_id, account_choice, account_label, secret_hash, expires_at)
     select organization_id, session_id, user_id, mode, tool_pack_id, connector, callback_url, callback_origin, state,
       string_to_array(more_scopes, ' '), scopes_reason, credential_id, account_choice, account_label, secret_hash, ${EXPIRY}
     from checked
     where ${PASSES}
     returning id, expires_at
   )
   select j.organization_state, j.user_active, j.tool_pack_id, j.in_pack, j.missing_tool, j.origin_listed, j.credential_found, j.link_binding, m.expires_at
   from checked j left join minted m on m.id = j.session_id order by j.position`,
})
const checkSessions = statement({
  name: 'link_sessions.check_mint',
  parameters: mintParameters,
  columns: mintResultColumns,
  sql: `${CHECKED}
   select organization_state, user_active, tool_pack_id, in_pack, missing_tool, origin_listed, credential_found, link_binding,
     case when ${PASSES} then ${EXPIRY} end as expires_at
   from checked order by position`,
})

export const mintSessionStore = {
  /** Returns one result for each session, in their order. */
  mint: (db: Queryable, sessions: NewSession[], lifetimeSeconds: number) =>
    db.query(mintSessions, { ...toArrays(mintColumns, sessions), lifetimeSeconds }),
  /** The same result without a session. */
  check: (db: Queryable, session: NewSession, lifetimeSeconds: number) =>
    one(db, checkSessions, { ...toArrays(mintColumns, [session]), lifetimeSeconds }),
}

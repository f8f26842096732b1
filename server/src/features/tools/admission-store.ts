import type { LinkBinding, Plan } from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import { json, one, type Queryable, statement } from '../../platform/database.ts'
import type { ToolChoice } from '../connectors/tool-choice.ts'
import type { CredentialRow } from '../credentials/credential-store.ts'
import type { McpTool } from '../upstream/mcp-tools.ts'

export type CallerRow = {
  organization_id: string | null
  mode: Mode
  plan: Plan
  link_binding: LinkBinding
  runtime_callback_url: string | null
  user_id: string | null
  user_active: boolean
  user_key: Buffer
  rate_limit_per_minute: number | null
  pack_id: string | null
  /** Bytes of a result that reach the model, and whether what is beyond them is kept for an hour. */
  pack_result_limit: number
  pack_result_handles: boolean
}
export type McpServerRow = {
  id: string
  name: string
  summary: string
  url: string
  source: 'custom' | 'catalogue'
  authentication: 'none' | 'user_secret' | 'organization_secret' | 'oauth'
  header_name: string
  header_prefix: string
  sealed_secret: Buffer | null
  revision: string | null
  tools_hash: string | null
}
type McpColumns = { [K in keyof McpServerRow as `server_${K}`]: McpServerRow[K] | null } & {
  tool_definition: McpTool | null
}
export type McpAdmissionRow = AdmissionRow & McpColumns
export type AdmissionRow = CallerRow & { call_id: string | null; tool_choice: ToolChoice | null } & {
  [K in Exclude<keyof CredentialRow, 'user_key'> as `credential_${K}`]: CredentialRow[K]
}

type OfPack = { columns: string; join?: string }

/** Who calls, and with which Tool Pack: $1 key, $2 user, $3 pack. */
export const callerWith = ({ columns, join = '' }: OfPack = { columns: '' }) => `
  select k.organization_id, k.mode, k.plan, k.link_binding, k.runtime_callback_url, u.id as user_id, u.is_active as user_active,
    u.data_key as user_key, u.rate_limit_per_minute, p.id as pack_id, p.result_limit as pack_result_limit,
    p.result_handles as pack_result_handles${columns}
  from (select) nothing
  left join admission_keys k on k.hash = $1
  left join admission_users u on u.organization_id = k.organization_id and u.mode = k.mode and u.id = $2
    and (k.registered_user_id is null or u.id = k.registered_user_id)
  left join admission_packs p on p.organization_id = k.organization_id and p.id = $3
    and (k.tool_pack_ids is null or p.id = any(k.tool_pack_ids))${join}`

// Of all that the pack chooses, what it chose of the called tool. A connector without a choice offers all its tools. A large pack's
// choices are long: `offset 0` has them read once, and none of it is sent here.
const ITS_CHOICE: OfPack = {
  columns: `, q.chosen -> $6::text as tool_choice, coalesce(q.chosen ? $6::text, true) as tool_chosen,
    coalesce($5 = any(p.connectors), true) as in_pack`,
  join: '\n  left join lateral (select p.choices -> $5::text as chosen offset 0) q on true',
}

const selectCaller = statement<CallerRow>('tools.caller', callerWith())

const CREDENTIAL = `a.id as credential_id, a.status as credential_status, a.status_reason as credential_status_reason,
     a.secret_id as credential_secret_id, a.sealed as credential_sealed, a.version as credential_version,
     a.scopes as credential_scopes, a.oauth_app as credential_oauth_app, a.access_expires_at as credential_access_expires_at,
     a.refresh_due as credential_refresh_due`

const RECORD = `
     insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, request_id)
     select organization_id, $4, user_id, pack_id, mode, $5, $6, 'reserved', $7 from caller
     where user_active and pack_id is not null and in_pack`

const ITS_CREDENTIAL = `
   left join admission_credentials a
     on a.organization_id = c.organization_id and a.registered_user_id = c.user_id and a.connector_slug = $5`

// Everything that decides whether a call may run, and the record that reserves it, in one round trip. Nothing here is
// remembered: a revoked key, user or credential holds on the very next call. $8: usable without an app of the organization's.
const admitCall = statement<AdmissionRow>(
  'tools.admit',
  `with caller as (${callerWith(ITS_CHOICE)}), record as (${RECORD} and tool_chosen
       and ($8::boolean or exists (select from admission_oauth_apps o
         where o.organization_id = caller.organization_id and o.connector_slug = $5))
     returning id
   )
   select c.*, r.id as call_id, ${CREDENTIAL}
   from caller c left join record r on true${ITS_CREDENTIAL}`,
)

// The same for a tool of an MCP server, which the organization's rows describe. $8: the tool that only asks to be linked;
// $9: of a server that the catalogue knows.
const admitMcpCall = statement<McpAdmissionRow>(
  'tools.admit_mcp',
  `with caller as (${callerWith(ITS_CHOICE)}), server as (
     select m.* from caller c join admission_mcp_connectors m on m.organization_id = c.organization_id and m.slug = $5
   ), tool as (
     select t.definition from caller c join admission_mcp_tools t on t.organization_id = c.organization_id
       and t.connector_slug = $5 and t.name = $6 and not $8::boolean
   ), record as (${RECORD} and (tool_chosen or $8::boolean)
       and case when $8::boolean then $9::boolean or exists (select from server) else exists (select from tool) end
     returning id
   )
   select c.*, r.id as call_id, ${CREDENTIAL}, s.id as server_id, s.name as server_name,
     s.summary as server_summary, s.url as server_url, s.source as server_source, s.authentication as server_authentication,
     s.header_name as server_header_name, s.header_prefix as server_header_prefix, s.sealed_secret as server_sealed_secret,
     s.revision as server_revision, s.tools_hash as server_tools_hash, t.definition as tool_definition
   from caller c left join record r on true left join server s on true left join tool t on true${ITS_CREDENTIAL}`,
)

export type Settlement = {
  outcome: 'success' | 'replayed' | 'error' | 'needs_auth' | 'blocked' | 'limited'
  errorCode: string | null
  thirdPartyMs: number | null
}

// Settled once. The user's standing is read with it: a result that comes back after a deactivation is withheld. Said as `finished_at
// is null`: for `outcome` the small index of what is reserved would be taken, which holds every call under way.
const settleCall = statement<{ user_active: boolean }>(
  'tools.settle',
  `with settled as (
     update tool_calls t set outcome = $3, error_code = $4, third_party_ms = $5, finished_at = app_now(),
       counted = ($3 = 'success' and t.mode = 'production')
     from registered_users u
     where t.organization_id = $1 and t.id = $2 and t.finished_at is null and u.organization_id = t.organization_id
       and u.id = t.registered_user_id
     returning t.registered_user_id, t.connector_slug, t.tool, u.is_active
   ), told as (
     select record_event($1, registered_user_id, $6,
       jsonb_build_object('tool_call_id', $2::uuid, 'connector_slug', connector_slug, 'tool', tool, 'outcome', $3::text) || $7::jsonb)
     from settled where $6::text is not null
   )
   select s.is_active as user_active from settled s left join told on true`,
)
const markUnknown = statement<never>(
  'tools.mark_unknown',
  `update tool_calls set outcome = 'unknown', finished_at = app_now() where outcome = 'reserved' and started_at < app_now() - interval '10 minutes'`,
)

export type Caller = { keyHash: Buffer; registeredUserId: string; toolPackId: string }

type NewCall = { id: string; connectorSlug: string; tool: string; requestId: string }

const callParameters = ({ keyHash, registeredUserId, toolPackId }: Caller, call: NewCall) => [
  keyHash,
  registeredUserId,
  toolPackId,
  call.id,
  call.connectorSlug,
  call.tool,
  call.requestId,
]

export const admissionStore = {
  caller: (db: Queryable, { keyHash, registeredUserId, toolPackId }: Caller) =>
    one(db, selectCaller, [keyHash, registeredUserId, toolPackId]) as Promise<CallerRow>,
  admit: (db: Queryable, caller: Caller, call: NewCall, usableByAll: boolean) =>
    one(db, admitCall, [...callParameters(caller, call), usableByAll]) as Promise<AdmissionRow>,
  admitMcp: (db: Queryable, caller: Caller, call: NewCall, how: { asks: boolean; inCatalogue: boolean }) =>
    one(db, admitMcpCall, [
      ...callParameters(caller, call),
      how.asks,
      how.inCatalogue,
    ]) as Promise<McpAdmissionRow>,
  settle: (db: Queryable, organizationId: string, callId: string, settlement: Settlement) =>
    one(db, settleCall, [
      organizationId,
      callId,
      settlement.outcome,
      settlement.errorCode,
      settlement.thirdPartyMs,
      eventOf(settlement),
      json(settlement.errorCode ? { error_code: settlement.errorCode } : {}),
    ]),
  /** A call whose process died after it was admitted: nobody knows what the third party did, so it is not counted. */
  markUnknown: (db: Queryable) => db.query(markUnknown),
}

const eventOf = ({ outcome }: Settlement): string | null => {
  if (outcome === 'success') return 'tool_call.completed'
  return outcome === 'needs_auth' || outcome === 'replayed' ? null : 'tool_call.failed'
}

export const credentialOf = (row: AdmissionRow): CredentialRow | null =>
  row.credential_id === null
    ? null
    : {
        id: row.credential_id,
        status: row.credential_status,
        status_reason: row.credential_status_reason,
        secret_id: row.credential_secret_id,
        sealed: row.credential_sealed,
        user_key: row.user_key,
        version: row.credential_version,
        scopes: row.credential_scopes,
        oauth_app: row.credential_oauth_app,
        access_expires_at: row.credential_access_expires_at,
        refresh_due: row.credential_refresh_due,
      }

export const serverOf = (row: McpAdmissionRow): McpServerRow | null =>
  row.server_id === null
    ? null
    : (Object.fromEntries(
        Object.entries(row)
          .filter(([name]) => name.startsWith('server_'))
          .map(([name, value]) => [name.slice('server_'.length), value]),
      ) as McpServerRow)

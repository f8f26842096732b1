import type { LinkBinding, Plan } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import { NIL_UUID } from '../../../core/uuid.ts'
import { one, type Queryable, statement } from '../../../platform/database/database.ts'
import type { ToolChoice } from '../../connectors/catalog/tool-choice.ts'
import type { CredentialRow } from '../../credentials/credential-store.ts'
import type { McpTool } from '../../upstream/mcp-client/tool-definitions.ts'

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
  /** Maximum result size in bytes for the model, and whether larger results are stored for an hour. */
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
/** The row of a valid key, an existing user and an existing pack. */
export type Known<Row> = Row & { organization_id: string; user_id: string; pack_id: string }

export type AdmissionRow = Known<CallerRow> & {
  tool_choice: ToolChoice | null
  /** The billing cycle of the plan limit; null without a limit. */
  cycle: Date | null
  /** Where the call is reserved in that cycle; null if the slot was empty. */
  slot: number | null
  /** Milliseconds until the rate limit allows the next call; null if it allows this one. */
  rate_wait_ms: number | null
  /** Calls that the rate limit still allows at once. */
  rate_left: number | null
  /** Identifies the current security rules of the organization and the pack. */
  rules_hash: string
  /** Whether arguments and result are recorded. */
  captures: boolean
} & { [K in Exclude<keyof CredentialRow, 'user_key'> as `credential_${K}`]: CredentialRow[K] }

/** The caller and its Tool Pack: $1 key, $2 user, $3 pack. */
export const callerWith = (columnsOfPack = '') => `
  select k.organization_id, k.mode, k.plan, k.link_binding, k.runtime_callback_url, u.id as user_id, u.is_active as user_active,
    u.data_key as user_key, u.rate_limit_per_minute, p.id as pack_id, p.result_limit as pack_result_limit,
    p.result_handles as pack_result_handles${columnsOfPack}
  from (select) nothing
  left join admission_keys k on k.hash = $1
  left join admission_users u on u.organization_id = k.organization_id and u.mode = k.mode and u.id = $2
    and (k.registered_user_id is null or u.id = k.registered_user_id)
  left join admission_packs p on p.organization_id = k.organization_id and p.id = $3
    and (k.tool_pack_ids is null or p.id = any(k.tool_pack_ids))`

const selectCaller = statement<CallerRow>('tools.caller', callerWith())

// `offset 0` keeps this an index lookup: a prepared statement is planned once, maybe on nearly empty tables, and must not scan them.
const lookUp = (alias: string, what: string) => `lateral (select ${what} offset 0) ${alias} on true`

/** The rules of a pack. The organization's own rules have no pack. */
const rulesOf = (alias: string, pack: string) =>
  lookUp(
    alias,
    `content_hash from admission_rules where organization_id = k.organization_id and tool_pack_id = ${pack}`,
  )

type Admission = { columns?: string; joins?: string; onlyIf: string }

/**
 * Everything that decides whether a call may run, and the record that reserves it, in one statement that returns a row or nothing.
 * Nothing is cached: a revoked key, user or credential is rejected on the next call. $1 key, $2 user, $3 pack, $4 call, $5 connector,
 * $6 tool, $8 the slot of the billing cycle to reserve from, $9 the caller's trace. `tool_choice` is the pack's choice for the called
 * tool; a connector without a choice offers all its tools.
 */
const admission = ({ columns = '', joins = '', onlyIf }: Admission) => `
   with found as materialized (
     select k.organization_id, u.mode, o.plan, o.link_binding, o.runtime_callback_url, u.id as user_id, u.is_active as user_active,
       u.data_key as user_key, p.id as pack_id, p.result_limit as pack_result_limit,
       p.result_handles as pack_result_handles, p.chosen -> $6::text as tool_choice, a.id as credential_id,
       a.status as credential_status, a.status_reason as credential_status_reason, a.secret_id as credential_secret_id,
       a.sealed as credential_sealed, a.version as credential_version, a.scopes as credential_scopes,
       a.oauth_app as credential_oauth_app, a.access_expires_at as credential_access_expires_at,
       a.refresh_due as credential_refresh_due, o.kept_days, o.captures,
       case when o.call_limit is not null and u.mode = 'production' then cycle_of(o.cycle_day, app_now()) end as cycle,
       case when o.limits_rates then u.rate_limit_per_minute end as rate_limit_per_minute, r.free_at,
       concat(ro.content_hash, ':', rp.content_hash) as rules_hash${columns}
     from (select * from calling_keys where hash = $1 offset 0) k
     join ${lookUp('o', '* from admission_organizations where id = k.organization_id')}
     join ${lookUp('u', '* from admission_users where organization_id = k.organization_id and id = $2')}
     join ${lookUp('p', `*, choices -> $5::text as chosen from admission_packs where organization_id = k.organization_id and id = $3`)}
     left join ${lookUp('r', 'free_at from rate_buckets where organization_id = k.organization_id and registered_user_id = $2')}${joins}
     left join ${lookUp(
       'a',
       '* from admission_credentials where organization_id = k.organization_id and registered_user_id = $2 and connector_slug = $5',
     )}
     left join ${rulesOf('ro', `'${NIL_UUID}'`)}
     left join ${rulesOf('rp', '$3')}
     where u.is_active and u.mode = coalesce(k.mode, u.mode) and (k.registered_user_id is null or u.id = k.registered_user_id)
       and (k.tool_pack_ids is null or p.id = any(k.tool_pack_ids)) and coalesce($5 = any(p.connectors), true) and ${onlyIf}
   ), place as (
     update plan_allowances s set taken = s.taken + 1 from found f
     where s.organization_id = f.organization_id and s.cycle = f.cycle and s.slot = $8 and s.taken < s.granted
     returning s.slot
   ), bucket as (
     insert into rate_buckets as b (organization_id, registered_user_id, free_at)
     select organization_id, user_id, app_now() + interval '1 minute' / rate_limit_per_minute
     from found where rate_limit_per_minute is not null
     on conflict (organization_id, registered_user_id)
       do update set free_at = greatest(b.free_at, app_now()) + (excluded.free_at - app_now())
       where b.free_at <= app_now() + interval '1 minute' - (excluded.free_at - app_now())
     returning b.free_at
   ), record as (
     insert into calls_under_way (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, request_id, kept_days,
       cycle, slot, trace_id)
     select organization_id, $4, user_id, pack_id, mode, $5, $6, $7, kept_days, cycle, (select slot from place), $9 from found
   )
   select f.*, (select slot from place) as slot,
     case when rate_limit_per_minute is not null and not exists (select from bucket) then ceil(1000 * extract(epoch from
       f.free_at - app_now() - interval '1 minute' + interval '1 minute' / rate_limit_per_minute))::integer end as rate_wait_ms,
     -- A seventh of a minute is no whole number of microseconds.
     (select floor((60 - extract(epoch from free_at - app_now())) * rate_limit_per_minute / 60 + 0.001)::integer from bucket) as rate_left
   from found f`

const IS_CHOSEN = 'coalesce(p.chosen ? $6::text, true)'

// $10: usable without an OAuth app of the organization.
const admitCall = statement<AdmissionRow>(
  'tools.admit',
  admission({
    joins: `
     left join ${lookUp('w', 'true as is_own from admission_oauth_apps where organization_id = k.organization_id and connector_slug = $5')}`,
    onlyIf: `${IS_CHOSEN} and ($10::boolean or w.is_own)`,
  }),
)

// The same for a tool of an MCP server, which the organization's rows describe. $10: the tool that only requests linking;
// $11: a server of the catalog.
const admitMcpCall = statement<McpAdmissionRow>(
  'tools.admit_mcp',
  admission({
    columns: `, s.id as server_id, s.name as server_name, s.summary as server_summary, s.url as server_url, s.source as server_source,
       s.authentication as server_authentication, s.header_name as server_header_name, s.header_prefix as server_header_prefix,
       s.sealed_secret as server_sealed_secret, s.revision as server_revision, s.tools_hash as server_tools_hash,
       t.definition as tool_definition`,
    joins: `
     left join ${lookUp('s', '* from admission_mcp_connectors where organization_id = k.organization_id and slug = $5')}
     left join ${lookUp(
       't',
       '* from admission_server_tools where organization_id = k.organization_id and connector_id = s.id and name = $6 and not $10::boolean',
     )}`,
    onlyIf: `case when $10::boolean then $11::boolean or s.id is not null else t.name is not null and ${IS_CHOSEN} end`,
  }),
)

export type Caller = { keyHash: Buffer; registeredUserId: string; toolPackId: string }

/** `slot`: null for a tool of this service, which is not counted. */
export type NewCall = {
  id: string
  connectorSlug: string
  tool: string
  requestId: string
  slot: number | null
  traceId: string | null
}

const callParameters = ({ keyHash, registeredUserId, toolPackId }: Caller, call: NewCall) => [
  keyHash,
  registeredUserId,
  toolPackId,
  call.id,
  call.connectorSlug,
  call.tool,
  call.requestId,
  call.slot,
  call.traceId,
]

export const admissionStore = {
  caller: (db: Queryable, { keyHash, registeredUserId, toolPackId }: Caller) =>
    one(db, selectCaller, [keyHash, registeredUserId, toolPackId]) as Promise<CallerRow>,
  admit: (db: Queryable, caller: Caller, call: NewCall, usableByAll: boolean) =>
    one(db, admitCall, [...callParameters(caller, call), usableByAll]),
  admitMcp: (db: Queryable, caller: Caller, call: NewCall, how: { asks: boolean; inCatalogue: boolean }) =>
    one(db, admitMcpCall, [...callParameters(caller, call), how.asks, how.inCatalogue]),
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
    : ({
        id: row.server_id,
        name: row.server_name,
        summary: row.server_summary,
        url: row.server_url,
        source: row.server_source,
        authentication: row.server_authentication,
        header_name: row.server_header_name,
        header_prefix: row.server_header_prefix,
        sealed_secret: row.server_sealed_secret,
        revision: row.server_revision,
        tools_hash: row.server_tools_hash,
      } as McpServerRow)

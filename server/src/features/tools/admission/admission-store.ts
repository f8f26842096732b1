import { NIL_UUID } from '../../../core/uuid.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import { boolean, nullable, smallint, text, uuid } from '../../../platform/database/sql-types.ts'
import { perRequest, statement } from '../../../platform/database/statement.ts'
import {
  admissionColumns,
  type CallAdmission,
  credentialColumns,
  credentialOf,
  type McpCallAdmission,
  serverColumns,
  serverOf,
} from './admission-rows.ts'
import { type Caller, callerParameters } from './caller-store.ts'

// `offset 0` keeps this an index lookup: a prepared statement is planned once, maybe on nearly empty tables, and must not scan them.
const lookUp = (alias: string, what: string) => `lateral (select ${what} offset 0) ${alias} on true`

/** The rules of a pack. The organization's own rules have no pack. */
const rulesOf = (alias: string, pack: string) =>
  lookUp(
    alias,
    `content_hash from admission_rules where organization_id = k.organization_id and tool_pack_id = ${pack}`,
  )

type AdmissionSql = { columns?: string; joins?: string; onlyIf: string }

/**
 * Everything that decides whether a call may run, and what it needs. `callers`: the key, as `k`. `tool_choice` is the pack's choice for
 * the called tool; a connector without a choice offers all its tools.
 */
const foundBy = ({ columns = '', joins = '', onlyIf }: AdmissionSql, callers: string, requested = '') => `
     select ${requested}k.organization_id, u.mode, o.plan, o.link_binding, o.runtime_callback_url, u.id as user_id,
       u.is_active as user_active,
       u.data_key as user_key, p.id as pack_id, p.result_limit as pack_result_limit,
       p.result_handles as pack_result_handles, p.chosen -> :tool::text as tool_choice, a.id as credential_id,
       a.status as credential_status, a.status_reason as credential_status_reason, a.secret_id as credential_secret_id,
       a.sealed as credential_sealed, a.version as credential_version, a.scopes as credential_scopes,
       a.oauth_app as credential_oauth_app, a.access_expires_at as credential_access_expires_at,
       a.refresh_due as credential_refresh_due, o.retention_days, o.captures,
       case when o.call_limit is not null and u.mode = 'production' then cycle_of(o.cycle_day, app_now()) end as cycle,
       case when o.has_rate_limits then u.rate_limit_per_minute end as rate_limit_per_minute, b.free_at,
       concat(ro.content_hash, ':', rp.content_hash) as rules_hash${columns}
     from ${callers}
     join ${lookUp('o', '* from admission_organizations where id = k.organization_id')}
     join ${lookUp('u', '* from admission_users where organization_id = k.organization_id and id = :registeredUserId')}
     join ${lookUp('p', `*, choices -> :connectorSlug::text as chosen from admission_packs where organization_id = k.organization_id and id = :toolPackId`)}
     left join ${lookUp('b', 'free_at from rate_buckets where organization_id = k.organization_id and registered_user_id = :registeredUserId')}${joins}
     left join ${lookUp(
       'a',
       '* from admission_credentials where organization_id = k.organization_id and registered_user_id = :registeredUserId and connector_slug = :connectorSlug',
     )}
     left join ${rulesOf('ro', `'${NIL_UUID}'`)}
     left join ${rulesOf('rp', ':toolPackId')}
     where u.is_active and u.mode = coalesce(k.mode, u.mode) and (k.registered_user_id is null or u.id = k.registered_user_id)
       and (k.tool_pack_ids is null or p.id = any(k.tool_pack_ids))
         and coalesce(:connectorSlug = any(p.connectors), true) and ${onlyIf}`

/**
 * Decides whether a call may run and reserves its record, in one statement that returns a row or nothing. Nothing is cached: a revoked
 * key, user or credential is rejected on the next call. `:slot` is the slot of the billing cycle to reserve from.
 */
const admission = (parts: AdmissionSql) => `
   with found as materialized (${foundBy(parts, '(select * from caller_keys where hash = :keyHash offset 0) k')}
   ), place as (
     update plan_allowances s set taken = s.taken + 1 from found f
     where s.organization_id = f.organization_id and s.cycle = f.cycle and s.slot = :slot and s.taken < s.granted
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
     insert into calls_in_flight (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool,
       request_id, retention_days,
       cycle, slot, trace_id)
     select organization_id, :callId, user_id, pack_id, mode, :connectorSlug, :tool, :requestId, retention_days, cycle,
       (select slot from place), :traceId from found
   )
   select f.*, (select slot from place) as slot,
     case when rate_limit_per_minute is not null and not exists (select from bucket) then ceil(1000 * extract(epoch from
       f.free_at - app_now() - interval '1 minute' + interval '1 minute' / rate_limit_per_minute))::integer end as rate_wait_ms,
     -- A seventh of a minute is no whole number of microseconds.
     (select floor((60 - extract(epoch from free_at - app_now())) * rate_limit_per_minute / 60 + 0.001)::integer
       from bucket) as rate_left
   from found f`

/** A call with a plan limit or a rate limit is reserved by the statement for one call. */
const manyAdmissions = (parts: AdmissionSql) =>
  perRequest(`, found as materialized (${foundBy(
    parts,
    `requests r
     join ${lookUp('k', '* from caller_keys where hash = :keyHash')}`,
    'r.position, r.call_id, r.connector_slug, r.tool, r.request_id, r.trace_id, ',
  )}
   ), record as (
     insert into calls_in_flight (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool,
       request_id, retention_days, trace_id)
     select organization_id, call_id, user_id, pack_id, mode, connector_slug, tool, request_id, retention_days, trace_id
     from found where cycle is null and rate_limit_per_minute is null
   )
   select f.*, null::smallint as slot, null::integer as rate_wait_ms, null::integer as rate_left,
     cycle is not null or rate_limit_per_minute is not null as separately
   from found f`)

const IS_CHOSEN = 'coalesce(p.chosen ? :tool::text, true)'

/** `slot`: null for a tool of this service, which is not counted. */
export type NewCall = {
  callId: string
  connectorSlug: string
  tool: string
  requestId: string
  slot: number | null
  traceId: string | null
}

const admissionParameters = {
  ...callerParameters,
  callId: uuid,
  connectorSlug: text,
  tool: text,
  requestId: text,
  slot: nullable(smallint),
  traceId: nullable(text),
}

const httpCall: AdmissionSql = {
  joins: `
     left join ${lookUp('w', 'true as is_own from admission_oauth_apps where organization_id = k.organization_id and connector_slug = :connectorSlug')}`,
  onlyIf: `${IS_CHOSEN} and (:usableByAll::boolean or w.is_own)`,
}
const admitCall = statement({
  name: 'tools.admit',
  // `usableByAll`: without an OAuth app of the organization.
  parameters: { ...admissionParameters, usableByAll: boolean },
  columns: { ...admissionColumns, ...credentialColumns },
  sql: admission(httpCall),
  mayBeLost: true,
  forMany: manyAdmissions(httpCall),
})

// The same for a tool of an MCP server, which the organization's rows describe.
const mcpCall: AdmissionSql = {
  columns: `, s.id as server_id, s.name as server_name, s.summary as server_summary, s.url as server_url, s.source as server_source,
       s.authentication as server_authentication, s.header_name as server_header_name, s.header_prefix as server_header_prefix,
       s.sealed_secret as server_sealed_secret, s.revision as server_revision, s.tools_hash as server_tools_hash,
       t.definition as tool_definition`,
  joins: `
     left join ${lookUp('s', '* from admission_mcp_connectors where organization_id = k.organization_id and slug = :connectorSlug')}
     left join ${lookUp(
       't',
       '* from admission_server_tools where organization_id = k.organization_id and connector_id = s.id and name = :tool and not :requestsLink::boolean',
     )}`,
  onlyIf: `case when :requestsLink::boolean then :inCatalog::boolean or s.id is not null else t.name is not null and ${IS_CHOSEN} end`,
}
const admitMcpCall = statement({
  name: 'tools.admit_mcp',
  // `requestsLink`: the tool that only returns a link; `inCatalog`: a server of the catalog.
  parameters: { ...admissionParameters, requestsLink: boolean, inCatalog: boolean },
  columns: { ...admissionColumns, ...credentialColumns, ...serverColumns },
  sql: admission(mcpCall),
  mayBeLost: true,
  forMany: manyAdmissions(mcpCall),
})

export const admissionStore = {
  admit: async (
    db: Queryable,
    { keyHash, registeredUserId, toolPackId }: Caller,
    call: NewCall,
    usableByAll: boolean,
  ): Promise<CallAdmission | null> => {
    const row = await one(db, admitCall, { ...call, keyHash, registeredUserId, toolPackId, usableByAll })
    return row && { ...row, credential: credentialOf(row) }
  },
  admitMcp: async (
    db: Queryable,
    { keyHash, registeredUserId, toolPackId }: Caller,
    call: NewCall,
    how: { requestsLink: boolean; inCatalog: boolean },
  ): Promise<McpCallAdmission | null> => {
    const row = await one(db, admitMcpCall, { ...call, ...how, keyHash, registeredUserId, toolPackId })
    return row && { ...row, credential: credentialOf(row), server: serverOf(row) }
  },
}

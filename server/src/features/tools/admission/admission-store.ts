import { one, type Queryable } from '../../../platform/database/database.ts'
import { boolean, nullable, smallint, text, uuid } from '../../../platform/database/sql-types.ts'
import { perRequest, statement } from '../../../platform/database/statement.ts'
import {
  type AdmissionSql,
  admissible,
  httpCall,
  lookUp,
  mcpCall,
  RATE_TOKEN,
  rateAllows,
  rateLeft,
  rateWaitMs,
} from './admission-reading-store.ts'
import {
  accountOf,
  admissionColumns,
  type CallAdmission,
  credentialColumns,
  type McpCallAdmission,
  serverColumns,
  serverOf,
} from './admission-rows.ts'
import { type Caller, callerParameters } from './caller-store.ts'

/** A revoked credential is not used. */
const IS_CHOSEN = `account_problem is null and credential_status <> 'revoked'`
const ACCOUNT_TO_RECORD = `case when ${IS_CHOSEN} then credential_id end, case when ${IS_CHOSEN} then credential_label end`

/**
 * Decides whether a call may run and reserves its record, in one statement that returns a row or nothing. Nothing is cached: a revoked
 * key, user or credential is rejected on the next call. `:slot` is the slot of the billing cycle to reserve from.
 */
const admission = (call: AdmissionSql) => `
   with found as materialized (${admissible(call, '(select * from caller_keys where hash = :keyHash offset 0) k')}
   ), place as (
     update plan_allowances s set taken = s.taken + 1 from found f
     where s.organization_id = f.organization_id and s.cycle = f.cycle and s.slot = :slot and s.taken < s.granted
     returning s.slot
   ), bucket as (
     insert into rate_buckets as b (organization_id, registered_user_id, free_at)
     select organization_id, user_id, app_now() + ${RATE_TOKEN}
     from found where rate_limit_per_minute is not null
     on conflict (organization_id, registered_user_id)
       do update set free_at = greatest(b.free_at, app_now()) + (excluded.free_at - app_now())
       where ${rateAllows('b.free_at', 'excluded.free_at - app_now()')}
     returning b.free_at
   ), record as (
     insert into calls_in_flight (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool,
       credential_id, account_label, request_id, retention_days, cycle, slot, trace_id)
     select organization_id, :callId, user_id, pack_id, mode, :connectorSlug, :tool, ${ACCOUNT_TO_RECORD}, :requestId, retention_days, cycle,
       (select slot from place), :traceId from found
   )
   select f.*, (select slot from place) as slot,
     case when rate_limit_per_minute is not null and not exists (select from bucket) then ${rateWaitMs('f.free_at')} end as rate_wait_ms,
     (select ${rateLeft('free_at')} from bucket) as rate_left
   from found f`

/** A call with a plan limit or a rate limit is reserved by the statement for one call. */
const manyAdmissions = (call: AdmissionSql) =>
  perRequest(`, found as materialized (${admissible(
    call,
    `requests r
     join ${lookUp('k', '* from caller_keys where hash = :keyHash')}`,
    'r.position, r.call_id, r.connector_slug, r.tool, r.request_id, r.trace_id, ',
  )}
   ), record as (
     insert into calls_in_flight (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool,
       credential_id, account_label, request_id, retention_days, trace_id)
     select organization_id, call_id, user_id, pack_id, mode, connector_slug, tool, ${ACCOUNT_TO_RECORD}, request_id, retention_days, trace_id
     from found where cycle is null and rate_limit_per_minute is null
   )
   select f.*, null::smallint as slot, null::integer as rate_wait_ms, null::integer as rate_left,
     cycle is not null or rate_limit_per_minute is not null as separately
   from found f`)

/** `slot`: null for a tool of this service, which is not counted. */
export type NewCall = {
  callId: string
  connectorSlug: string
  tool: string
  /** The label or the ID of the account that the call names. */
  account: string | null
  requestId: string
  slot: number | null
  traceId: string | null
}

const admissionParameters = {
  ...callerParameters,
  callId: uuid,
  connectorSlug: text,
  tool: text,
  account: nullable(text),
  requestId: text,
  slot: nullable(smallint),
  traceId: nullable(text),
}

const admitCall = statement({
  name: 'tools.admit',
  parameters: { ...admissionParameters, usableByAll: boolean, isRequest: boolean },
  columns: { ...admissionColumns, ...credentialColumns },
  sql: admission(httpCall),
  mayBeLost: true,
  forMany: manyAdmissions(httpCall),
})

const admitMcpCall = statement({
  name: 'tools.admit_mcp',
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
    { usableByAll, isRequest }: { usableByAll: boolean; isRequest: boolean },
  ): Promise<CallAdmission | null> => {
    const parameters = { ...call, keyHash, registeredUserId, toolPackId, usableByAll, isRequest }
    const row = await one(db, admitCall, parameters)
    return row && { ...row, ...accountOf(row) }
  },
  admitMcp: async (
    db: Queryable,
    { keyHash, registeredUserId, toolPackId }: Caller,
    call: NewCall,
    { requestsLink, inCatalog }: { requestsLink: boolean; inCatalog: boolean },
  ): Promise<McpCallAdmission | null> => {
    const parameters = { ...call, keyHash, registeredUserId, toolPackId, requestsLink, inCatalog }
    const row = await one(db, admitMcpCall, parameters)
    return row && { ...row, ...accountOf(row), server: serverOf(row) }
  },
}

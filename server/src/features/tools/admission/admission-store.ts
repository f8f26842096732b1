import { one, type Queryable } from '../../../platform/database/database.ts'
import { boolean, nullable, smallint, text, uuid } from '../../../platform/database/sql-types.ts'
import { perRequest, statement } from '../../../platform/database/statement.ts'
import { type AdmissionSql, admissible, httpCall, lookUp, mcpCall } from './admission-conditions-store.ts'
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
import { limitSql } from './limit-statements-store.ts'

/** A revoked credential is not used. */
const IS_CHOSEN = `account_problem is null and credential_status <> 'revoked'`

/** The row of `calls_in_flight`, from a row `r` of `found`. For a batch, that row also contains the parameters of its request. */
const RESERVED = {
  organization_id: 'organization_id',
  id: ':callId',
  registered_user_id: 'user_id',
  tool_pack_id: 'pack_id',
  mode: 'mode',
  connector_slug: ':connectorSlug',
  tool: ':tool',
  credential_id: `case when ${IS_CHOSEN} then credential_id end`,
  account_label: `case when ${IS_CHOSEN} then credential_label end`,
  request_id: ':requestId',
  retention_days: 'retention_days',
  trace_id: ':traceId',
}
const RESERVED_PARAMETERS = Object.values(RESERVED).filter(value => value.startsWith(':'))

const reserve = (columns: Record<string, string>, where = '') => `
     insert into calls_in_flight (${Object.keys(columns).join(', ')})
     select ${Object.values(columns).join(', ')} from found r ${where}`

/**
 * Decides whether a call may run and reserves its record, in one statement that returns a row or nothing. Nothing is cached: a revoked
 * key, user or credential is rejected on the next call.
 */
const admission = (call: AdmissionSql) => `
   with found as materialized (${admissible(call, '(select * from caller_keys where hash = :keyHash offset 0) k')}
   ), ${limitSql.reserve}, record as (${reserve({ ...RESERVED, ...limitSql.reserved })}
   )
   select f.*, ${limitSql.results}
   from found f`

/** The same for a batch. A call with a limit is reserved by the statement for one call. */
const manyAdmissions = (call: AdmissionSql) =>
  perRequest(`, found as materialized (${admissible(
    call,
    `requests r
     join ${lookUp('k', '* from caller_keys where hash = :keyHash')}`,
    `r.position, ${RESERVED_PARAMETERS.join(', ')}, `,
  )}
   ), record as (${reserve(RESERVED, `where not ${limitSql.applies}`)}
   )
   select f.*, ${limitSql.withoutLimit}, ${limitSql.applies} as separately
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

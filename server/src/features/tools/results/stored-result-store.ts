import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  bytea,
  double,
  jsonb,
  nullable,
  text,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { RecordedViolation } from '../../rules/gate.ts'
import { matchesToRecord, violationsToRecord } from '../../rules/violations-to-record.ts'
import {
  type Caller,
  callerColumns,
  callerParameters,
  callerWith,
  type FoundCaller,
  type Known,
} from '../admission/caller-store.ts'
import type { CallFacts, Settlement } from '../admission/settlement-store.ts'

export type NewKeptResult = {
  organizationId: string
  id: string
  registeredUserId: string
  toolPackId: string
  sealed: Buffer
  seconds: number
}
const fetchColumns = { ...callerColumns, sealed: nullable(bytea) }
export type FetchedResult = Values<typeof fetchColumns>
/** A call of a tool of the service itself. */
export type OwnCall = Pick<Settlement, 'outcome' | 'errorCode'> & {
  tool: string
  callId: string
  requestId: string
  traceId: string | null
  headers: CallFacts['headers']
  violations: readonly RecordedViolation[]
}

/** The oldest result of a user is deleted first. */
const MAX_PER_USER = 50

const insertResult = statement({
  name: 'stored_results.insert',
  parameters: {
    organizationId: uuid,
    id: uuid,
    registeredUserId: uuid,
    toolPackId: uuid,
    sealed: bytea,
    seconds: double,
  },
  sql: `with dropped as (
     delete from stored_results where organization_id = :organizationId and id in (
       select id from stored_results where organization_id = :organizationId and registered_user_id = :registeredUserId
       order by expires_at desc offset ${MAX_PER_USER - 1} for update skip locked)
   )
   insert into stored_results (organization_id, id, registered_user_id, tool_pack_id, sealed, expires_at)
   select :organizationId, :id, :registeredUserId, :toolPackId, :sealed, app_now() + make_interval(secs => :seconds)
   from registered_users where organization_id = :organizationId and id = :registeredUserId for key share`,
})

// Checks the caller and reads the result in one round trip.
const readResult = statement({
  name: 'stored_results.read',
  parameters: { ...callerParameters, handle: uuid },
  columns: fetchColumns,
  sql: `with caller as (${callerWith()})
   select c.*, r.sealed from caller c
   left join stored_results r on r.organization_id = c.organization_id and r.id = :handle
     and r.registered_user_id = c.user_id and r.tool_pack_id = c.pack_id and r.expires_at > app_now()`,
})

// Recorded but not counted, because no provider is called.
const recordOwnCall = statement({
  name: 'stored_results.record',
  parameters: {
    organizationId: uuid,
    registeredUserId: uuid,
    callId: uuid,
    toolPackId: uuid,
    mode: text,
    tool: text,
    outcome: text,
    errorCode: nullable(text),
    requestId: text,
    plan: text,
    traceId: nullable(text),
    headers: nullable(jsonb),
    matches: nullable(jsonb),
    violations: nullable(jsonb),
  },
  sql: `with owner as materialized (
     select from registered_users where organization_id = :organizationId and id = :registeredUserId for key share
   ), record as (
     insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, error_code,
       request_id, retention_days, trace_id, headers, matches)
     select :organizationId, :callId, :registeredUserId, :toolPackId, :mode, '', :tool, :outcome, :errorCode,
       :requestId, plan_retention_days(:plan), :traceId, :headers::jsonb, :matches::jsonb from owner
   )
   select record_violations(:organizationId, :registeredUserId, :callId, '', :tool, :violations::jsonb) from owner
     where :violations::jsonb is not null`,
})
const deleteExpired = statement({
  name: 'stored_results.expire',
  sql: `delete from stored_results where expires_at <= app_now() and organization_id not in (select id from unserved_organizations)`,
})

export const storedResultStore = {
  insert: (db: Queryable, row: NewKeptResult) => db.query(insertResult, row),
  read: (db: Queryable, { keyHash, registeredUserId, toolPackId }: Caller, handle: string) =>
    one(db, readResult, { keyHash, registeredUserId, toolPackId, handle }) as Promise<FetchedResult>,
  record: (db: Queryable, by: Known<FoundCaller>, call: OwnCall) =>
    db.query(recordOwnCall, {
      organizationId: by.organizationId,
      registeredUserId: by.userId,
      toolPackId: by.packId,
      mode: by.mode,
      plan: by.plan,
      callId: call.callId,
      tool: call.tool,
      outcome: call.outcome,
      errorCode: call.errorCode,
      requestId: call.requestId,
      traceId: call.traceId,
      headers: call.headers,
      matches: matchesToRecord(call.violations),
      violations: violationsToRecord(call.violations),
    }),
  deleteExpired: (db: Queryable) => db.query(deleteExpired),
}

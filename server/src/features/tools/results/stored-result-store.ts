import { json, one, type Queryable, statement } from '../../../platform/database/database.ts'
import type { RecordedViolation } from '../../rules/gate.ts'
import { matchesToRecord, violationsToRecord } from '../../rules/violations-to-record.ts'
import { type Caller, type CallerRow, callerWith } from '../admission/admission-store.ts'
import type { CallFacts, Settlement } from '../admission/settlement-store.ts'

export type NewKeptResult = {
  organizationId: string
  id: string
  registeredUserId: string
  toolPackId: string
  sealed: Buffer
  seconds: number
}
export type FetchRow = CallerRow & { sealed: Buffer | null }
export type Reading = Pick<Settlement, 'outcome' | 'errorCode'> & {
  callId: string
  requestId: string
  traceId: string | null
  headers: CallFacts['headers']
  violations: readonly RecordedViolation[]
}

/** The oldest result of a user is deleted first. */
const MAX_PER_USER = 50

const insertResult = statement<never>(
  'kept_results.insert',
  `with dropped as (
     delete from kept_results where organization_id = $1 and id in (
       select id from kept_results where organization_id = $1 and registered_user_id = $3
       order by expires_at desc offset ${MAX_PER_USER - 1} for update skip locked)
   )
   insert into kept_results (organization_id, id, registered_user_id, tool_pack_id, sealed, expires_at)
   select $1, $2, $3, $4, $5, app_now() + make_interval(secs => $6)
   from registered_users where organization_id = $1 and id = $3 for key share`,
)

// Checks the caller and reads the result in one round trip.
const readResult = statement<FetchRow>(
  'kept_results.read',
  `with caller as (${callerWith()})
   select c.*, r.sealed from caller c
   left join kept_results r on r.organization_id = c.organization_id and r.id = $4
     and r.registered_user_id = c.user_id and r.tool_pack_id = c.pack_id and r.expires_at > app_now()`,
)

// Recorded but not counted, because no provider is called.
const recordReading = statement<never>(
  'kept_results.record',
  `with owner as materialized (
     select from registered_users where organization_id = $1 and id = $2 for key share
   ), record as (
     insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, error_code,
       request_id, kept_days, trace_id, headers, matches)
     select $1, $3, $2, $4, $5, '', 'fetch_result', $6, $7, $8, plan_days($9), $10, $11::jsonb, $12::jsonb from owner
   )
   select record_violations($1, $2, $3, $13::jsonb) from owner where $13::jsonb is not null`,
)
const deleteExpired = statement<never>(
  'kept_results.expire',
  'delete from kept_results where expires_at <= app_now()',
)

export const keptResultStore = {
  insert: (db: Queryable, row: NewKeptResult) =>
    db.query(insertResult, [
      row.organizationId,
      row.id,
      row.registeredUserId,
      row.toolPackId,
      row.sealed,
      row.seconds,
    ]),
  read: (db: Queryable, caller: Caller, handle: string) =>
    one(db, readResult, [
      caller.keyHash,
      caller.registeredUserId,
      caller.toolPackId,
      handle,
    ]) as Promise<FetchRow>,
  record: (db: Queryable, by: FetchRow, reading: Reading) =>
    db.query(recordReading, [
      by.organization_id,
      by.user_id,
      reading.callId,
      by.pack_id,
      by.mode,
      reading.outcome,
      reading.errorCode,
      reading.requestId,
      by.plan,
      reading.traceId,
      reading.headers && json(reading.headers),
      matchesToRecord(reading.violations),
      violationsToRecord(reading.violations),
    ]),
  deleteExpired: (db: Queryable) => db.query(deleteExpired),
}

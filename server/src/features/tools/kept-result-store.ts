import { one, type Queryable, statement } from '../../platform/database.ts'
import { type Caller, type CallerRow, callerWith } from './admission-store.ts'

export type NewKeptResult = {
  organizationId: string
  id: string
  registeredUserId: string
  toolPackId: string
  sealed: Buffer
  seconds: number
}
export type FetchRow = CallerRow & { call_id: string | null; sealed: Buffer | null }

/** Oldest first: a user's results do not grow without end, however many calls are made in an hour. */
const MOST_PER_USER = 50

const insertResult = statement<never>(
  'kept_results.insert',
  `with dropped as (
     delete from kept_results where organization_id = $1 and id in (
       select id from kept_results where organization_id = $1 and registered_user_id = $3
       order by expires_at desc offset ${MOST_PER_USER - 1} for update skip locked)
   )
   insert into kept_results (organization_id, id, registered_user_id, tool_pack_id, sealed, expires_at)
   select $1, $2, $3, $4, $5, app_now() + make_interval(secs => $6)
   from registered_users where organization_id = $1 and id = $3 for key share`,
)

// Judged, read and recorded in one round trip, as every call is. It is the gateway's own tool: recorded, and never counted.
const fetchResult = statement<FetchRow>(
  'kept_results.fetch',
  `with caller as (${callerWith()}), kept as (
     select r.sealed from caller c join kept_results r on r.organization_id = c.organization_id and r.id = $4
       and r.registered_user_id = c.user_id and r.tool_pack_id = c.pack_id and r.expires_at > app_now()
   ), record as (
     insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, error_code,
       request_id, kept_days)
     select organization_id, $5, user_id, pack_id, mode, '', 'fetch_result',
       case when exists (select from kept) then 'success' else 'error' end,
       case when exists (select from kept) then null else 'result_not_found' end, $6, plan_days(plan)
     from caller where user_active and pack_id is not null and pack_result_handles
     returning id
   )
   select c.*, r.id as call_id, k.sealed
   from caller c left join record r on true left join kept k on true`,
)
const deleteExpired = statement<never>(
  'kept_results.expire',
  'delete from kept_results where expires_at <= app_now()',
)

type Fetch = { handle: string; callId: string; requestId: string }

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
  fetch: (db: Queryable, caller: Caller, { handle, callId, requestId }: Fetch) =>
    one(db, fetchResult, [
      caller.keyHash,
      caller.registeredUserId,
      caller.toolPackId,
      handle,
      callId,
      requestId,
    ]) as Promise<FetchRow>,
  deleteExpired: (db: Queryable) => db.query(deleteExpired),
}

import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  boolean,
  bytea,
  integer,
  jsonb,
  nullable,
  real,
  text,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { RecordedViolation } from '../../rules/gate.ts'
import { matchesToRecord, violationsToRecord } from '../../rules/violations-to-record.ts'

export type Settlement = {
  outcome: 'success' | 'replayed' | 'error' | 'needs_auth' | 'blocked' | 'limited'
  errorCode: string | null
  thirdPartyMs: number | null
  /** Matches of the security rules, whatever the outcome. */
  violations?: readonly RecordedViolation[]
}

/** The part of a record besides its outcome. */
export type CallFacts = {
  headers: Record<string, string> | null
  argumentsBytes: number | null
  resultBytes: number | null
  /** Arguments and result, sealed. */
  payload: Buffer | null
  rulesMs: number | null
  gatewayMs: number | null
}

const NO_FACTS: CallFacts = {
  headers: null,
  argumentsBytes: null,
  resultBytes: null,
  payload: null,
  rulesMs: null,
  gatewayMs: null,
}

// A call is settled once, by deleting it from the calls in flight. The user's row is locked first, and user and key are read
// again: a result that arrives after a deactivation, or after the key was regenerated or revoked, is withheld. A call that does not
// count releases its reservation.
const settling = (whileHeld: '' | 'skip locked') => `
   with owner as materialized (
     select is_active from registered_users where organization_id = :organizationId
       and id = :registeredUserId for no key update ${whileHeld}
   ), ended as (
     delete from calls_in_flight c using owner where c.organization_id = :organizationId and c.id = :callId
     returning c.*, owner.is_active
   ), record as (
     insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome,
       error_code, counted,
       request_id, started_at, third_party_ms, retention_days, trace_id, headers, arguments_bytes, result_bytes, payload,
         rules_ms, gateway_ms,
       matches)
     select organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, :outcome, :errorCode,
       :outcome = 'success' and mode = 'production', request_id, started_at, :thirdPartyMs, retention_days, trace_id,
         :headers::jsonb, :argumentsBytes::integer, :resultBytes::integer,
       :payload::bytea, :rulesMs::real, :gatewayMs::real, :matches::jsonb
     from ended
   ), released as (
     update plan_allowances s set taken = s.taken - 1 from ended e
     where :outcome <> 'success' and s.organization_id = e.organization_id and s.cycle = e.cycle and s.slot = e.slot
   ), event as (
     select record_event(:organizationId, :registeredUserId, :event,
       jsonb_build_object('tool_call_id', :callId::uuid, 'connector_slug', connector_slug, 'tool', tool, 'outcome',
         :outcome::text) || :eventPayload::jsonb)
     from ended where :event::text is not null
   ), violations as (
     select record_violations(:organizationId, :registeredUserId, :callId, :violations::jsonb) from ended
       where :violations::jsonb is not null
   )
   select e.is_active as user_active, exists (select from caller_keys where hash = :keyHash::bytea) as key_valid
   from ended e left join event on true left join violations on true`
const settlementParameters = {
  organizationId: uuid,
  callId: uuid,
  registeredUserId: uuid,
  outcome: text,
  errorCode: nullable(text),
  thirdPartyMs: nullable(integer),
  event: nullable(text),
  eventPayload: jsonb,
  headers: nullable(jsonb),
  argumentsBytes: nullable(integer),
  resultBytes: nullable(integer),
  payload: nullable(bytea),
  rulesMs: nullable(real),
  gatewayMs: nullable(real),
  violations: nullable(jsonb),
  matches: nullable(jsonb),
  keyHash: bytea,
}
const standingColumns = { userActive: boolean, keyValid: boolean }

const settleCall = statement({
  name: 'tools.settle',
  parameters: settlementParameters,
  columns: standingColumns,
  sql: settling(''),
})
const settleUnheldCall = statement({
  name: 'tools.settle_unheld',
  parameters: settlementParameters,
  columns: standingColumns,
  sql: settling('skip locked'),
})

// What the provider did is unknown, so the call is not counted.
const markUnknown = statement({
  name: 'tools.mark_unknown',
  sql: `with ended as (
     delete from calls_in_flight c where (organization_id, id) in (
       select organization_id, id from calls_in_flight where started_at < app_now() - interval '10 minutes' for update skip locked)
     returning c.*
   ), record as (
     insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, request_id,
       started_at, retention_days, trace_id)
     select organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, 'unknown', request_id, started_at,
       retention_days, trace_id from ended
   )
   update plan_allowances s set taken = s.taken - e.many
   from (select organization_id, cycle, slot, count(*) as many from ended group by 1, 2, 3) e
   where s.organization_id = e.organization_id and s.cycle = e.cycle and s.slot = e.slot`,
})

type ReservedCall = { organizationId: string; registeredUserId: string; callId: string; keyHash: Buffer }

const settlementValues = (
  call: ReservedCall,
  settlement: Settlement,
  facts: CallFacts,
): Values<typeof settlementParameters> => ({
  ...facts,
  organizationId: call.organizationId,
  callId: call.callId,
  registeredUserId: call.registeredUserId,
  keyHash: call.keyHash,
  outcome: settlement.outcome,
  errorCode: settlement.errorCode,
  thirdPartyMs: settlement.thirdPartyMs,
  event: eventOf(settlement),
  eventPayload: settlement.errorCode ? { error_code: settlement.errorCode } : {},
  violations: violationsToRecord(settlement.violations),
  matches: matchesToRecord(settlement.violations),
})

const eventOf = ({ outcome }: Settlement): string | null => {
  if (outcome === 'success') return 'tool_call.completed'
  if (outcome === 'blocked') return 'tool_call.blocked'
  return outcome === 'needs_auth' || outcome === 'replayed' ? null : 'tool_call.failed'
}

export const settlementStore = {
  settle: (db: Queryable, call: ReservedCall, settlement: Settlement, facts = NO_FACTS) =>
    one(db, settleCall, settlementValues(call, settlement, facts)),
  /** The same, unless another transaction has locked the user's row: then it does nothing. */
  settleUnheld: (db: Queryable, call: ReservedCall, settlement: Settlement, facts = NO_FACTS) =>
    one(db, settleUnheldCall, settlementValues(call, settlement, facts)),
  /** Calls whose process died after the admission: what the provider did is unknown, so they are not counted. */
  markUnknown: (db: Queryable) => db.query(markUnknown),
}

import type { CallStepName } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import {
  boolean,
  bytea,
  integer,
  jsonb,
  nullable,
  real,
  smallint,
  text,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'
import type { RecordedViolation } from '../../rules/gate.ts'
import { matchesToRecord, violationsToRecord } from '../../rules/violations-to-record.ts'
import { recountCall, releaseReservations } from './limit-statements-store.ts'

export type Settlement = {
  outcome: 'success' | 'replayed' | 'error' | 'needs_auth' | 'approval_required' | 'blocked' | 'limited'
  errorCode: string | null
  /** The step that ended the call; null if it was carried out. */
  endedAtStep: CallStepName | null
  thirdPartyMs: number | null
  /** Whether the provider has carried out the call, or may have. */
  carriedOut: boolean
  /** Matches of the security rules, whatever the outcome. */
  violations?: readonly RecordedViolation[]
}

/** The part of a record besides its outcome. */
export type CallFacts = {
  headers: Record<string, string> | null
  argumentsBytes: number | null
  resultBytes: number | null
  /** Bytes that the pack's view has left of the result; null without a view. */
  viewBytes: number | null
  /** Arguments and result, sealed. */
  payload: Buffer | null
  rulesMs: number | null
  gatewayMs: number | null
}

const NO_FACTS: CallFacts = {
  headers: null,
  argumentsBytes: null,
  resultBytes: null,
  viewBytes: null,
  payload: null,
  rulesMs: null,
  gatewayMs: null,
}

const RECORD = `organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, credential_id, account_label, outcome, error_code, ended_at_step, counted, carried_out, counted_as,
       request_id, started_at, third_party_ms, retention_days, trace_id, headers, arguments_bytes, result_bytes, view_bytes, payload,
       rules_ms, gateway_ms, matches`

/** Whether the user was active during the whole call. `user` and `startedAt` are SQL expressions. */
const wasActive = (user: string, startedAt: string): string =>
  `(${user}.is_active and ${user}.sessions_ended_at <= ${startedAt})`
const isValidKey = (hash: string): string => `exists (select from caller_keys where hash = ${hash})`
/** The outcome of the record, and whether the call counts. `settled`: a row with `stands`, and the outcome of the call. */
const recordedOutcome = (outcome: string): string =>
  `case when stands or ${outcome} <> 'success' then ${outcome} else 'withheld' end`
/** A call whose result is withheld ends at its settlement. */
const recordedStep = (step: string, outcome: string): string =>
  `case when stands or ${outcome} <> 'success' then ${step} else 'settlement' end`
const counts = (outcome: string, mode: string): string =>
  `stands and ${outcome} = 'success' and ${mode} = 'production'`

// A call is settled once, by deleting it from the calls in flight. The user's row is locked first, so that the user is not deleted
// meanwhile, and user and key are read again: a result that arrives after a deactivation, or after the key was regenerated or
// revoked, is withheld and does not count. A share lock waits for a deactivation, but not for other calls of the user. A call that
// does not count releases its reservation. The record is also the source of the call's event.
const settling = (whileHeld: '' | 'skip locked') => `
   with owner as materialized (
     select is_active, sessions_ended_at from registered_users where organization_id = :organizationId
       and id = :registeredUserId for share ${whileHeld}
   ), deleted as (
     delete from calls_in_flight c using owner where c.organization_id = :organizationId and c.id = :callId
     returning c.*, ${wasActive('owner', 'c.started_at')} as user_active, ${isValidKey(':keyHash::bytea')} as key_valid
   ), ended as materialized (
     select *, user_active and key_valid as stands from deleted
   ), record as (
     insert into tool_calls (${RECORD})
     select organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, credential_id, account_label,
       ${recordedOutcome(':outcome')}, :errorCode, ${recordedStep(':endedAtStep::text', ':outcome')}, ${counts(':outcome', 'mode')}, :carriedOut, counted_as, request_id, started_at, :thirdPartyMs, retention_days, trace_id,
       :headers::jsonb, :argumentsBytes::integer, :resultBytes::integer, :viewBytes::integer, :payload::bytea, :rulesMs::real, :gatewayMs::real,
       :matches::jsonb
     from ended
   ), ${releaseReservations("stands and :outcome = 'success'")}, violations as (
     select record_violations(:organizationId, :registeredUserId, :callId, connector_slug, tool, :violations::jsonb) from ended
       where :violations::jsonb is not null
   )
   select e.user_active, e.key_valid from ended e left join violations on true`
const settlementParameters = {
  organizationId: uuid,
  callId: uuid,
  registeredUserId: uuid,
  outcome: text,
  errorCode: nullable(text),
  endedAtStep: nullable(text),
  thirdPartyMs: nullable(integer),
  carriedOut: boolean,
  headers: nullable(jsonb),
  argumentsBytes: nullable(integer),
  resultBytes: nullable(integer),
  viewBytes: nullable(integer),
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
// `ctid` leads to the rows of `calls_in_flight` without an index scan per row, and is stable because no other statement updates them.
const settleUnheldCall = statement({
  name: 'tools.settle_unheld',
  parameters: settlementParameters,
  columns: standingColumns,
  sql: settling('skip locked'),
  forMany: `, owners as materialized (
     select owner.* from (select distinct organization_id, registered_user_id from requests) r
     cross join lateral (
       select organization_id, id, is_active, sessions_ended_at from registered_users
       where organization_id = r.organization_id and id = r.registered_user_id for share skip locked) owner
   ), found as materialized (
     select r.*, ${wasActive('owner', 'c.started_at')} as user_active, ${isValidKey('r.key_hash')} as key_valid, c.row_id from requests r
     join owners owner on owner.organization_id = r.organization_id and owner.id = r.registered_user_id
     join lateral (
       select ctid as row_id, started_at from calls_in_flight where organization_id = r.organization_id and id = r.call_id offset 0) c on true
   ), ended as materialized (
     delete from calls_in_flight c using found f
     where c.ctid = f.row_id and c.organization_id = f.organization_id and c.id = f.call_id
     returning c.*, f.position, f.user_active, f.key_valid, f.user_active and f.key_valid as stands, f.outcome, f.error_code, f.ended_at_step, f.third_party_ms, f.carried_out, f.headers, f.arguments_bytes,
       f.result_bytes, f.view_bytes, f.payload, f.rules_ms, f.gateway_ms, f.violations, f.matches
   ), record as (
     insert into tool_calls (${RECORD})
     select organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, credential_id, account_label, ${recordedOutcome('outcome')},
       error_code, ${recordedStep('ended_at_step', 'outcome')}, ${counts('outcome', 'mode')}, carried_out, counted_as, request_id, started_at, third_party_ms, retention_days, trace_id,
       headers, arguments_bytes, result_bytes, view_bytes, payload, rules_ms, gateway_ms, matches
     from ended
   ), ${releaseReservations("stands and outcome = 'success'")}, violations as (
     select position, record_violations(organization_id, registered_user_id, id, connector_slug, tool, violations) from ended
       where violations is not null
   )
   select e.position, e.user_active, e.key_valid from ended e left join violations v on v.position = e.position`,
})

// A call whose reservation is missing, because PostgreSQL lost it in a crash or a failover: the record is written from what the process
// knows, and a success is counted. A call that has a record, or whose user was deleted, is left alone.
const settleLostCall = statement({
  name: 'tools.settle_lost',
  parameters: {
    ...settlementParameters,
    toolPackId: uuid,
    mode: text,
    connectorSlug: text,
    tool: text,
    credentialId: nullable(uuid),
    accountLabel: nullable(text),
    requestId: text,
    traceId: nullable(text),
    retentionDays: smallint,
    slot: nullable(smallint),
    elapsedMs: integer,
  },
  columns: standingColumns,
  sql: `with locked as materialized (
     select is_active, sessions_ended_at, app_now() - :elapsedMs::integer * interval '1 millisecond' as started_at
     from registered_users where organization_id = :organizationId and id = :registeredUserId for share
   ), standing as (
     select started_at, ${wasActive('locked', 'started_at')} as user_active, ${isValidKey(':keyHash::bytea')} as key_valid from locked
   ), owner as materialized (
     select *, user_active and key_valid as stands from standing
   ), record as (
     insert into tool_calls (${RECORD})
     select :organizationId, :callId, :registeredUserId, :toolPackId, :mode, :connectorSlug, :tool, :credentialId, :accountLabel, ${recordedOutcome(':outcome')}, :errorCode,
       ${recordedStep(':endedAtStep::text', ':outcome')}, ${counts(':outcome', ':mode')}, :carriedOut, null, :requestId, started_at, :thirdPartyMs,
       :retentionDays, :traceId, :headers::jsonb, :argumentsBytes::integer, :resultBytes::integer, :viewBytes::integer, :payload::bytea, :rulesMs::real,
       :gatewayMs::real, :matches::jsonb
     from owner where not exists (select from tool_calls where organization_id = :organizationId and id = :callId)
     returning counted, started_at
   ), ${recountCall}, violations as (
     select record_violations(:organizationId, :registeredUserId, :callId, :connectorSlug, :tool, :violations::jsonb) from record
       where :violations::jsonb is not null
   )
   select owner.user_active, owner.key_valid from owner cross join record left join violations on true`,
})

// What the provider did is unknown, so the call is not counted. A call of a deleted user leaves no record.
const markUnknown = statement({ name: 'tools.mark_unknown', sql: 'select mark_calls_unknown()' })

/** What the reservation of a call contained. */
export type Reservation = {
  toolPackId: string
  mode: Mode
  connectorSlug: string
  tool: string
  credentialId: string | null
  accountLabel: string | null
  requestId: string
  traceId: string | null
  retentionDays: number
  slot: number | null
  /** Since the call began. */
  elapsedMs: number
}

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
  endedAtStep: settlement.endedAtStep,
  thirdPartyMs: settlement.thirdPartyMs,
  carriedOut: settlement.carriedOut,
  violations: violationsToRecord(settlement.violations),
  matches: matchesToRecord(settlement.violations),
})

export const settlementStore = {
  settle: (db: Queryable, call: ReservedCall, settlement: Settlement, facts = NO_FACTS) =>
    one(db, settleCall, settlementValues(call, settlement, facts)),
  /** The same, unless another transaction has locked the user's row: then it does nothing. */
  settleUnheld: (db: Queryable, call: ReservedCall, settlement: Settlement, facts = NO_FACTS) =>
    one(db, settleUnheldCall, settlementValues(call, settlement, facts)),
  settleLost: (
    db: Queryable,
    call: ReservedCall,
    reservation: Reservation,
    settlement: Settlement,
    facts = NO_FACTS,
  ) => one(db, settleLostCall, { ...reservation, ...settlementValues(call, settlement, facts) }),
  /** Calls whose process died after the admission: what the provider did is unknown, so they are not counted. */
  markUnknown: (db: Queryable) => db.query(markUnknown),
}

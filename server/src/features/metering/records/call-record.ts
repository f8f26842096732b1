import type { CallOutcome, CallStepName } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'
import {
  boolean,
  bytea,
  integer,
  jsonb,
  nullable,
  real,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'

export type Owner = { organizationId: string; mode: Mode }
export const recordColumns = {
  id: uuid,
  registeredUserId: uuid,
  toolPackId: uuid,
  mode: typed<Mode>(text),
  connectorSlug: text,
  tool: text,
  credentialId: nullable(uuid),
  accountLabel: nullable(text),
  outcome: typed<CallOutcome>(text),
  errorCode: nullable(text),
  endedAtStep: nullable(typed<CallStepName>(text)),
  counted: boolean,
  requestId: text,
  traceId: nullable(text),
  startedAt: timestamptz,
  finishedAt: timestamptz,
  gatewayMs: nullable(real),
  rulesMs: nullable(real),
  thirdPartyMs: nullable(integer),
  argumentsBytes: nullable(integer),
  resultBytes: nullable(integer),
  viewBytes: nullable(integer),
  headers: nullable(typed<Record<string, string>>(jsonb)),
  matches: nullable(typed<{ entity: string; count: number }[]>(jsonb)),
  /** Microseconds since 1970. */
  at: text,
}
export type CallRecord = Values<typeof recordColumns>

export const recordDetailColumns = { ...recordColumns, payload: nullable(bytea), userKey: nullable(bytea) }
export type CallRecordDetail = Values<typeof recordDetailColumns>

/** The columns of a record `c`, without its payload. */
export const COLUMNS = `c.id, c.registered_user_id, c.tool_pack_id, c.mode, c.connector_slug, c.tool, c.credential_id,
  c.account_label, c.outcome, c.error_code, c.ended_at_step, c.counted,
  c.request_id, c.trace_id, c.started_at, c.finished_at, c.gateway_ms, c.rules_ms, c.third_party_ms, c.arguments_bytes,
  c.result_bytes, c.view_bytes, c.headers, c.matches`
export const AT = '(extract(epoch from started_at) * 1000000)::bigint::text as at'
export const NOT_EXPIRED = `c.started_at > app_now() - c.retention_days * interval '1 day'`

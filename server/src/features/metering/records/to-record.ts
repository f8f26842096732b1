import type { ToolCallRecord } from '@carabiner/contract'
import type { CallRecord } from './call-record.ts'

export const toRecord = (record: CallRecord): ToolCallRecord => ({
  id: record.id,
  registered_user_id: record.registeredUserId,
  tool_pack_id: record.toolPackId,
  mode: record.mode,
  // The gateway's built-in tools belong to no connector.
  connector: record.connectorSlug === '' ? null : record.connectorSlug,
  tool: record.tool,
  credential_id: record.credentialId,
  account_label: record.accountLabel,
  outcome: record.outcome,
  error_code: record.errorCode,
  ended_at_step: record.endedAtStep,
  counted: record.counted,
  request_id: record.requestId,
  trace_id: record.traceId,
  started_at: record.startedAt.toISOString(),
  finished_at: record.finishedAt.toISOString(),
  gateway_ms: record.gatewayMs,
  rules_ms: record.rulesMs,
  third_party_ms: record.thirdPartyMs,
  arguments_bytes: record.argumentsBytes,
  result_bytes: record.resultBytes,
  view_bytes: record.viewBytes,
  headers: record.headers ?? {},
  matches: record.matches ?? [],
})

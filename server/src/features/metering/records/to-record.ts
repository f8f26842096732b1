import type { ToolCallRecord } from '@carabiner/contract'
import type { CallRecord } from './record-row.ts'

export const toRecord = (row: CallRecord): ToolCallRecord => ({
  id: row.id,
  registered_user_id: row.registeredUserId,
  tool_pack_id: row.toolPackId,
  mode: row.mode,
  // The gateway's built-in tools belong to no connector.
  connector: row.connectorSlug === '' ? null : row.connectorSlug,
  tool: row.tool,
  outcome: row.outcome,
  error_code: row.errorCode,
  counted: row.counted,
  request_id: row.requestId,
  trace_id: row.traceId,
  started_at: row.startedAt.toISOString(),
  finished_at: row.finishedAt.toISOString(),
  gateway_ms: row.gatewayMs,
  rules_ms: row.rulesMs,
  third_party_ms: row.thirdPartyMs,
  arguments_bytes: row.argumentsBytes,
  result_bytes: row.resultBytes,
  headers: row.headers ?? {},
  matches: row.matches ?? [],
})

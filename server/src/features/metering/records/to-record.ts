import type { ToolCallRecord } from '@carabiner/contract'
import type { RecordRow } from './record-row.ts'

export const toRecord = (row: RecordRow): ToolCallRecord => ({
  id: row.id,
  registered_user_id: row.registered_user_id,
  tool_pack_id: row.tool_pack_id,
  mode: row.mode,
  // The gateway's built-in tools belong to no connector.
  connector: row.connector_slug === '' ? null : row.connector_slug,
  tool: row.tool,
  outcome: row.outcome,
  error_code: row.error_code,
  counted: row.counted,
  request_id: row.request_id,
  trace_id: row.trace_id,
  started_at: row.started_at.toISOString(),
  finished_at: row.finished_at.toISOString(),
  gateway_ms: row.gateway_ms,
  rules_ms: row.rules_ms,
  third_party_ms: row.third_party_ms,
  arguments_bytes: row.arguments_bytes,
  result_bytes: row.result_bytes,
  headers: row.headers ?? {},
  matches: row.matches ?? [],
})

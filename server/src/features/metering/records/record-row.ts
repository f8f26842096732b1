import type { CallOutcome } from '@carabiner/contract'
import type { Mode } from '../../../core/mode.ts'

export type Owner = { organizationId: string; mode: Mode }
export type RecordRow = {
  id: string
  registered_user_id: string
  tool_pack_id: string
  mode: Mode
  connector_slug: string
  tool: string
  outcome: CallOutcome
  error_code: string | null
  counted: boolean
  request_id: string
  trace_id: string | null
  started_at: Date
  finished_at: Date
  gateway_ms: number | null
  rules_ms: number | null
  third_party_ms: number | null
  arguments_bytes: number | null
  result_bytes: number | null
  headers: Record<string, string> | null
  matches: { entity: string; count: number }[] | null
  /** Microseconds since 1970. */
  at: string
}
export type RecordDetailRow = RecordRow & { payload: Buffer | null; user_key: Buffer | null }

/** The columns of a record `c`, without its payload. */
export const COLUMNS = `c.id, c.registered_user_id, c.tool_pack_id, c.mode, c.connector_slug, c.tool, c.outcome, c.error_code, c.counted,
  c.request_id, c.trace_id, c.started_at, c.finished_at, c.gateway_ms, c.rules_ms, c.third_party_ms, c.arguments_bytes,
  c.result_bytes, c.headers, c.matches`
export const AT = '(extract(epoch from started_at) * 1000000)::bigint::text as at'
export const NOT_EXPIRED = `c.started_at > app_now() - c.kept_days * interval '1 day'`

import type { CallOutcome, ToolCallFilter } from '@carabiner/contract'
import { parseTime } from '../../../core/parse-time.ts'
import { Refusal } from '../../../core/refusal.ts'
import { isUuid } from '../../../core/uuid.ts'
import { parseHeaderFilter } from './caller-headers.ts'

export type RecordFilter = {
  registeredUserId: string | null
  toolPackId: string | null
  connector: string | null
  tool: string | null
  accountLabel: string | null
  outcome: CallOutcome | null
  errorCode: string | null
  since: Date | null
  until: Date | null
  requestId: string | null
  traceId: string | null
  header: { name: string; value: string } | null
}

/** Filters that can match no record are rejected, so that a mistake does not yield an empty page. */
export const parseRecordFilter = (query: ToolCallFilter): RecordFilter => {
  const { slug, tool } = parseTool(query.tool)
  const connector = text('connector', query.connector)
  if (slug !== null && connector !== null && slug !== connector)
    throw invalid('tool', 'must belong to the connector in "connector"')
  return {
    registeredUserId: id('registered_user_id', query.registered_user_id),
    toolPackId: id('tool_pack_id', query.tool_pack_id),
    connector: connector ?? slug,
    tool,
    accountLabel: text('account_label', query.account_label),
    outcome: query.outcome ?? null,
    errorCode: text('error_code', query.error_code),
    since: parseTime('since', query.since),
    until: parseTime('until', query.until),
    requestId: text('request_id', query.request_id),
    traceId: text('trace_id', query.trace_id)?.toLowerCase() ?? null,
    header: header(query.header),
  }
}

const invalid = (param: string, why: string): Refusal =>
  new Refusal('invalid_request', { param, message: `"${param}" ${why}.` })

const id = (param: string, value: string | undefined): string | null => {
  if (value === undefined) return null
  if (!isUuid(value)) throw invalid(param, 'must be a UUID')
  return value.toLowerCase()
}

/** PostgreSQL rejects text with NUL characters or unpaired surrogates. */
export const text = (param: string, value: string | undefined): string | null => {
  if (value === undefined) return null
  if (value.includes('\0') || !value.isWellFormed()) throw invalid(param, 'contains invalid characters')
  return value
}

const parseTool = (value: string | undefined): { slug: string | null; tool: string | null } => {
  const name = text('tool', value)
  const at = name?.indexOf('__') ?? -1
  return name === null || at < 1
    ? { slug: null, tool: name }
    : { slug: name.slice(0, at), tool: name.slice(at + 2) }
}

const header = (value: string | undefined): RecordFilter['header'] => {
  const whole = text('header', value)
  if (whole === null) return null
  const parsed = parseHeaderFilter(whole)
  if (!parsed) throw invalid('header', 'must have the form X-Name:value')
  return parsed
}

import type { ToolCallRecord, WebhookEvent } from '@carabiner/sdk'
import type { Outcome } from '../../ui/data/outcome.tsx'

/** What the list shows of a call. Records have all of it; events of the live tail do not report matches of rules. */
export type CallRow = {
  id: string
  startedAt: string
  userId: string
  packId: string
  account: string | null
  connector: string | null
  tool: string
  outcome: ToolCallRecord['outcome']
  errorCode: string | null
  matches: ToolCallRecord['matches']
  requestId: string
  traceId: string | null
  providerMs: number | null
  /** Null: not known, because the call is followed live or its times were not recorded. */
  totalMs: number | null
}

/** A record always has the same row, so that loading the next page renders no row again. */
const rows = new WeakMap<ToolCallRecord, CallRow>()
export const rowOfRecord = (record: ToolCallRecord): CallRow => {
  const known = rows.get(record)
  if (known) return known
  const row = toRow(record)
  rows.set(record, row)
  return row
}

const toRow = (record: ToolCallRecord): CallRow => ({
  id: record.id,
  startedAt: record.started_at,
  userId: record.registered_user_id,
  packId: record.tool_pack_id,
  account: record.account_label,
  connector: record.connector,
  tool: record.tool,
  outcome: record.outcome,
  errorCode: record.error_code,
  matches: record.matches,
  requestId: record.request_id,
  traceId: record.trace_id,
  providerMs: record.third_party_ms,
  totalMs: totalOf(record),
})

/** The durations of a record do not overlap. */
export const totalOf = ({ gateway_ms, rules_ms, third_party_ms }: ToolCallRecord): number | null =>
  gateway_ms === null ? null : gateway_ms + (rules_ms ?? 0) + (third_party_ms ?? 0)

export const rowOfEvent = (event: WebhookEvent): CallRow | null => {
  if (
    event.type !== 'tool_call.completed' &&
    event.type !== 'tool_call.failed' &&
    event.type !== 'tool_call.blocked'
  )
    return null
  const { data } = event
  return {
    id: data.tool_call_id,
    startedAt: event.occurred_at,
    userId: event.registered_user_id ?? '',
    packId: data.tool_pack_id,
    account: data.account_label,
    connector: data.connector_slug || null,
    tool: data.tool,
    outcome: data.outcome,
    errorCode: data.error_code,
    matches: [],
    requestId: data.request_id,
    traceId: data.trace_id,
    providerMs: data.third_party_ms,
    totalMs: null,
  }
}

/** The name that agents use: with the connector, unless it is a tool of the service itself. */
export const toolName = ({ connector, tool }: Pick<CallRow, 'connector' | 'tool'>): string =>
  connector === null ? tool : `${connector}__${tool}`

const OUTCOME_OF: Record<CallRow['outcome'], Outcome> = {
  success: 'success',
  replayed: 'success',
  needs_auth: 'needs_auth',
  approval_required: 'needs_approval',
  error: 'error',
  blocked: 'error',
  limited: 'error',
  unknown: 'error',
  withheld: 'error',
}

/** One of the outcomes that have a color, and the details in words. */
export const shownOutcome = (
  call: Pick<CallRow, 'outcome' | 'errorCode' | 'matches'>,
): { outcome: Outcome; detail: string | undefined } => {
  const { outcome, errorCode, matches } = call
  const entities = matches.map(({ entity, count }) => (count > 1 ? `${entity} ×${count}` : entity)).join(', ')
  if (outcome === 'success')
    return matches.length > 0
      ? { outcome: 'redacted', detail: entities }
      : { outcome: 'success', detail: undefined }
  if (outcome === 'replayed') return { outcome: 'success', detail: 'replayed' }
  if (outcome === 'blocked')
    return { outcome: 'error', detail: entities ? `blocked, ${entities}` : 'blocked by a rule' }
  return {
    outcome: OUTCOME_OF[outcome],
    detail: errorCode ?? (outcome === 'unknown' || outcome === 'withheld' ? outcome : undefined),
  }
}

export const formatMs = (ms: number | null): string => {
  if (ms === null) return '–'
  if (ms >= 10_000) return `${Math.round(ms / 1000)} s`
  if (ms >= 1000) return `${(ms / 1000).toFixed(2)} s`
  return ms >= 10 ? `${Math.round(ms)} ms` : `${ms.toFixed(1)} ms`
}

const clock = new Intl.DateTimeFormat(undefined, {
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  fractionalSecondDigits: 3,
  hourCycle: 'h23',
})
const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'short' })

/** Time with milliseconds; the date only if it is not today's. */
export const formatTime = (at: string, now = Date.now()): string => {
  const time = new Date(at)
  const isToday = time.toDateString() === new Date(now).toDateString()
  return isToday ? clock.format(time) : `${day.format(time)} ${clock.format(time)}`
}

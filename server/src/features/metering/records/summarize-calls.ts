import type { AffectedUsers, CallOutcome, ToolCallSummary } from '@carabiner/contract'
import { DAY } from '../../../core/duration.ts'
import { parseTime } from '../../../core/parse-time.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import type { Owner } from './call-record.ts'
import { text } from './record-filter.ts'
import {
  type ErrorGroup,
  MAX_AFFECTED,
  MAX_SUMMARIZED,
  type SeriesRow,
  summaryStore,
  type Window,
} from './summary-store.ts'

type WindowQuery = { since?: string; until?: string }

const MAX_DAYS = 31
const MAX_POINTS = 100
/** Lengths of a period, in seconds: from a minute to a day. */
const INTERVALS = [60, 300, 900, 3600, 14_400, 86_400]

export const summarizeCalls = async (
  lists: ReadDatabase,
  owner: Owner,
  query: WindowQuery,
): Promise<ToolCallSummary> => {
  const window = parseWindow(query)
  const interval = intervalOf(window)
  const { series, errors, waitingUsers } = await summaryStore.read(lists, owner, window, interval)
  const total = series.find(({ at }) => at === null)
  const isTruncated = total !== undefined && total.calls >= MAX_SUMMARIZED
  const coveredSince = isTruncated && total.firstAt ? total.firstAt : window.since
  return {
    since: window.since.toISOString(),
    until: window.until.toISOString(),
    covered_since: coveredSince.toISOString(),
    interval_seconds: interval,
    calls: total?.calls ?? 0,
    failed: total?.error ?? 0,
    needs_auth: total?.needsAuth ?? 0,
    gateway_ms: { p50: total?.gatewayP50 ?? null, p95: total?.gatewayP95 ?? null },
    third_party_ms: { p50: total?.thirdPartyP50 ?? null, p95: total?.thirdPartyP95 ?? null },
    waiting_users: waitingUsers,
    series: toSeries(series, { since: coveredSince, until: window.until }, interval),
    errors: errors.map(toErrorGroup),
  }
}

export const listAffectedUsers = async (
  lists: ReadDatabase,
  owner: Owner,
  query: WindowQuery & { outcome: CallOutcome; error_code?: string; connector?: string },
): Promise<AffectedUsers> => {
  const filter = {
    outcome: query.outcome,
    errorCode: text('error_code', query.error_code),
    connector: text('connector', query.connector),
  }
  const rows = await summaryStore.affected(lists, owner, parseWindow(query), filter)
  return {
    data: rows.slice(0, MAX_AFFECTED).map(({ registeredUserId, toolPackId, calls, lastAt }) => ({
      registered_user_id: registeredUserId,
      tool_pack_id: toolPackId,
      calls,
      last_at: lastAt.toISOString(),
    })),
    has_more: rows.length > MAX_AFFECTED,
  }
}

const parseWindow = (query: WindowQuery): Window => {
  const until = parseTime('until', query.until) ?? new Date()
  const since = parseTime('since', query.since) ?? new Date(until.getTime() - DAY)
  const days = (until.getTime() - since.getTime()) / DAY
  if (days <= 0 || days > MAX_DAYS)
    throw new Refusal('invalid_request', {
      param: 'since',
      message: `"since" must be before "until", by at most ${MAX_DAYS} days.`,
    })
  return { since, until }
}

const intervalOf = ({ since, until }: Window): number =>
  INTERVALS.find(seconds => (until.getTime() - since.getTime()) / 1000 / seconds <= MAX_POINTS) ?? 86_400

const toSeries = (
  rows: readonly SeriesRow[],
  { since, until }: Window,
  interval: number,
): ToolCallSummary['series'] => {
  const found = new Map(rows.map(row => [row.at, row]))
  const points: ToolCallSummary['series'] = []
  const first = Math.floor(since.getTime() / 1000 / interval) * interval
  for (let at = first; at * 1000 < until.getTime(); at += interval) {
    const row = found.get(at)
    points.push({
      at: new Date(at * 1000).toISOString(),
      success: row?.success ?? 0,
      redacted: row?.redacted ?? 0,
      needs_auth: row?.needsAuth ?? 0,
      error: row?.error ?? 0,
    })
  }
  return points
}

const toErrorGroup = (group: ErrorGroup): ToolCallSummary['errors'][number] => ({
  outcome: group.outcome,
  error_code: group.errorCode,
  connector: group.connectorSlug === '' ? null : group.connectorSlug,
  tool: group.tool,
  calls: group.calls,
  users: group.users,
  first_at: group.firstAt.toISOString(),
  last_at: group.lastAt.toISOString(),
})

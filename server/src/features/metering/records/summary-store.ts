import type { CallOutcome } from '@carabiner/contract'
import { FORCE_INDEX_ORDER } from '../../../platform/database/index-order.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import {
  bigint,
  double,
  ensured,
  integer,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { listStatement } from '../../../platform/database/statement.ts'
import { NOT_EXPIRED, type Owner } from './call-record.ts'

/** Calls that one summary reads at most, so that its cost does not depend on the number of records. */
export const MAX_SUMMARIZED = 50_000
const MAX_OF_OUTCOME = 20_000
const MAX_GROUPS = 50
export const MAX_AFFECTED = 1000

export type Window = { since: Date; until: Date }
const windowParameters = { organizationId: uuid, mode: text, since: timestamptz, until: timestamptz }
const IN_WINDOW = `c.organization_id = :organizationId and c.mode = :mode and c.started_at >= :since and c.started_at < :until
     and ${NOT_EXPIRED}`
const NEWEST_FIRST = 'order by c.started_at desc, c.id desc'

const seriesColumns = {
  /** Seconds since 1970. Null in the row of the whole window. */
  at: nullable(bigint),
  calls: ensured(bigint),
  success: ensured(bigint),
  redacted: ensured(bigint),
  needsAuth: ensured(bigint),
  error: ensured(bigint),
  firstAt: nullable(timestamptz),
  gatewayP50: nullable(double),
  gatewayP95: nullable(double),
  thirdPartyP50: nullable(double),
  thirdPartyP95: nullable(double),
}
export type SeriesRow = Values<typeof seriesColumns>
const percentile = (part: number, column: string): string =>
  `percentile_cont(${part}) within group (order by ${column}::float8)`
const DONE = `outcome in ('success', 'replayed')`
const selectSeries = listStatement({
  name: 'tool_calls.summary_series',
  parameters: { ...windowParameters, interval: integer },
  columns: seriesColumns,
  sql: `select (floor(extract(epoch from started_at) / :interval::integer) * :interval::integer)::bigint as at, count(*) as calls,
     count(*) filter (where ${DONE} and matches is null) as success,
     count(*) filter (where ${DONE} and matches is not null) as redacted,
     count(*) filter (where outcome = 'needs_auth') as needs_auth,
     count(*) filter (where outcome in ('error', 'blocked', 'limited', 'unknown', 'withheld')) as error,
     min(started_at) as first_at,
     ${percentile(0.5, 'gateway_ms')} as gateway_p50, ${percentile(0.95, 'gateway_ms')} as gateway_p95,
     ${percentile(0.5, 'third_party_ms')} as third_party_p50, ${percentile(0.95, 'third_party_ms')} as third_party_p95
   from (select c.started_at, c.outcome, c.matches, c.gateway_ms, c.third_party_ms from tool_calls c where ${IN_WINDOW}
     ${NEWEST_FIRST} limit ${MAX_SUMMARIZED}) c
   group by grouping sets ((1), ()) order by 1 nulls first`,
})

/** The latest calls with an outcome. The repeated condition lets the planner use the partial index. */
const latestOf = (outcome: string): string => `
  select c.registered_user_id, c.tool_pack_id, c.outcome, c.error_code, c.connector_slug, c.tool, c.started_at from tool_calls c
  where ${IN_WINDOW} and c.outcome = ${outcome} and c.outcome <> 'success' ${NEWEST_FIRST} limit ${MAX_OF_OUTCOME}`

const groupColumns = {
  outcome: typed<CallOutcome>(text),
  errorCode: nullable(text),
  connectorSlug: text,
  tool: nullable(text),
  calls: ensured(bigint),
  users: ensured(bigint),
  firstAt: ensured(timestamptz),
  lastAt: ensured(timestamptz),
}
export type ErrorGroup = Values<typeof groupColumns>
const selectGroups = listStatement({
  name: 'tool_calls.summary_errors',
  parameters: windowParameters,
  columns: groupColumns,
  sql: `select c.outcome, c.error_code, c.connector_slug, case when min(c.tool) = max(c.tool) then min(c.tool) end as tool,
     count(*) as calls, count(distinct c.registered_user_id) as users, min(c.started_at) as first_at, max(c.started_at) as last_at
   from unnest(array['error', 'needs_auth', 'blocked', 'limited', 'unknown']) as o (outcome) cross join lateral (${latestOf('o.outcome')}) c
   group by 1, 2, 3 order by calls desc, 1, 2, 3 limit ${MAX_GROUPS}`,
})

const countWaiting = listStatement({
  name: 'tool_calls.summary_waiting',
  parameters: windowParameters,
  columns: { users: ensured(bigint) },
  sql: `select count(distinct c.registered_user_id) as users
   from (select distinct registered_user_id, connector_slug from (${latestOf("'needs_auth'")}) c) c
   where not exists (select from linked_connectors l where l.organization_id = :organizationId
     and l.registered_user_id = c.registered_user_id and l.connector_slug = c.connector_slug)`,
})

const selectAffected = listStatement({
  name: 'tool_calls.summary_users',
  parameters: {
    ...windowParameters,
    outcome: text,
    errorCode: nullable(text),
    connector: nullable(text),
  },
  columns: {
    registeredUserId: uuid,
    toolPackId: ensured(uuid),
    calls: ensured(bigint),
    lastAt: ensured(timestamptz),
  },
  sql: `select c.registered_user_id, (array_agg(c.tool_pack_id order by c.started_at desc))[1] as tool_pack_id, count(*) as calls,
     max(c.started_at) as last_at
   from (${latestOf(':outcome')}) c
   where (:errorCode::text is null or c.error_code = :errorCode) and (:connector::text is null or c.connector_slug = :connector)
   group by 1 order by last_at desc, 1 limit ${MAX_AFFECTED + 1}`,
})

export type GroupFilter = { outcome: CallOutcome; errorCode: string | null; connector: string | null }

export const summaryStore = {
  read: (lists: ReadDatabase, { organizationId, mode }: Owner, { since, until }: Window, interval: number) =>
    lists.readWith(FORCE_INDEX_ORDER, async reads => {
      const values = { organizationId, mode, since, until }
      const series = await reads.read(selectSeries, { ...values, interval })
      const errors = await reads.read(selectGroups, values)
      const [waiting] = await reads.read(countWaiting, values)
      return { series, errors, waitingUsers: waiting?.users ?? 0 }
    }),
  affected: (lists: ReadDatabase, { organizationId, mode }: Owner, window: Window, filter: GroupFilter) =>
    lists.readWith(FORCE_INDEX_ORDER, reads =>
      reads.read(selectAffected, { organizationId, mode, ...window, ...filter }),
    ),
}

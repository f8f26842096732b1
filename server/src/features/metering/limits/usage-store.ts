import type { Plan, UsageGroup } from '@carabiner/contract'
import { NIL_UUID } from '../../../core/uuid.ts'
import { one, type Queryable } from '../../../platform/database/database.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import {
  bigint,
  date,
  integer,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { type ListStatement, listStatement, statement } from '../../../platform/database/statement.ts'
import type { Owner } from '../records/call-record.ts'

const usageColumns = {
  calls: bigint,
  counted: bigint,
  errors: bigint,
  blocked: bigint,
  limited: bigint,
  needsAuth: bigint,
  approvalRequired: bigint,
  replayed: bigint,
  unknown: bigint,
  withheld: bigint,
}
const groupColumns = { day: text, registeredUserId: nullable(uuid), connectorSlug: text, tool: text }
/** The grouped columns, and the counts of each group. */
export type GroupedUsage = Values<typeof usageColumns> & Partial<Values<typeof groupColumns>>
const cycleColumns = {
  plan: typed<Plan>(text),
  limit: nullable(integer),
  startsAt: timestamptz,
  endsAt: timestamptz,
  counted: bigint,
  inFlight: bigint,
  left: nullable(bigint),
}
export type CycleUsage = Values<typeof cycleColumns>

const DAY = `(started_at at time zone 'UTC')::date`
const midnight = (day: string) => `(${day}::timestamp at time zone 'UTC')`

// Aggregated usage and records not yet aggregated, read in one snapshot, so that each record is counted once.
const used = (byUser: boolean) => `
  select day, ${byUser ? `nullif(registered_user_id, '${NIL_UUID}')` : 'null::uuid'} as registered_user_id, connector_slug, tool, outcome, calls, counted
  from ${byUser ? 'usage_days' : 'usage_totals'}
  where organization_id = :organizationId and mode = :mode and day >= :since::date and day < :until::date
  union all
  select ${DAY}, registered_user_id, connector_slug, tool, outcome, count(*), count(*) filter (where counted) from tool_calls
  where organization_id = :organizationId and mode = :mode and started_at >= greatest((select until
    from usage_progress), ${midnight(':since::date')})
    and started_at < ${midnight(':until::date')}
  group by 1, 2, 3, 4, 5`

const GROUPS: Record<UsageGroup, (keyof typeof groupColumns)[]> = {
  day: ['day'],
  user: ['registeredUserId'],
  connector: ['connectorSlug'],
  // Tool names are only unique within a connector.
  tool: ['connectorSlug', 'tool'],
}
const GROUP_SQL: Record<keyof typeof groupColumns, string> = {
  day: 'day::text',
  registeredUserId: 'registered_user_id',
  connectorSlug: 'connector_slug',
  tool: 'tool',
}
const OUTCOMES = {
  errors: 'error',
  blocked: 'blocked',
  limited: 'limited',
  needs_auth: 'needs_auth',
  approval_required: 'approval_required',
  replayed: 'replayed',
  unknown: 'unknown',
  withheld: 'withheld',
}

const sumParameters = {
  organizationId: uuid,
  mode: text,
  since: typed<string>(date),
  until: typed<string>(date),
  limit: bigint,
}

const sumBy = (groups: UsageGroup[]): ListStatement<Values<typeof sumParameters>, GroupedUsage> => {
  const names = [...new Set(groups.flatMap(group => GROUPS[group]))]
  const outcomes = Object.entries(OUTCOMES).map(
    ([name, outcome]) => `coalesce(sum(calls) filter (where outcome = '${outcome}'), 0)::bigint as "${name}"`,
  )
  const positions = names.map((_, at) => at + 1).join(', ')
  return listStatement({
    name: `usage.by_${groups.join('_')}`,
    parameters: sumParameters,
    columns: { ...usageColumns, ...Object.fromEntries(names.map(name => [name, groupColumns[name]])) },
    sql: `select ${names.map(name => GROUP_SQL[name]).join(', ')}, sum(calls)::bigint as calls,
     sum(counted)::bigint as counted, ${outcomes.join(', ')}
     from (${used(groups.includes('user'))}) used group by ${positions} order by ${positions} limit :limit`,
  })
}

// Reserved calls count against the limit, because every in-flight call may succeed.
const selectCycle = statement({
  name: 'usage.cycle',
  parameters: { organizationId: uuid },
  columns: cycleColumns,
  sql: `with organization as (
     select id, plan, call_limit, cycle_of(cycle_day, app_now()) as cycle, cycle_day from admission_organizations
       where id = :organizationId
   ), used as (
     select o.*, ${midnight('o.cycle')} as starts_at,
       ${midnight(`cycle_of(cycle_day, ${midnight('o.cycle')} + interval '1 month 3 days')`)} as ends_at,
       counted_calls(o.id, o.cycle) as counted,
       (select count(*) from calls_in_flight w where w.organization_id = o.id and w.mode = 'production'
         and (w.cycle is null or w.slot is not null)) as in_flight,
       (select sum(taken) from plan_allowances a where a.organization_id = o.id and a.cycle = o.cycle) as taken
     from organization o
   )
   select plan, call_limit as limit, starts_at, ends_at, counted, in_flight::bigint as in_flight,
     case when call_limit is not null then greatest(call_limit - coalesce(taken, counted + in_flight), 0) end::bigint as left
   from used`,
})
const sumUsage = statement({
  name: 'usage.sum',
  sql: 'select sum_usage()',
})

type Days = { since: string; until: string }

export const usageStore = {
  sum: (
    lists: ReadDatabase,
    { organizationId, mode }: Owner,
    { since, until }: Days,
    groups: UsageGroup[],
    limit: number,
  ): Promise<GroupedUsage[]> => lists.read(sumBy(groups), { organizationId, mode, since, until, limit }),
  cycle: (db: Queryable, organizationId: string) => one(db, selectCycle, { organizationId }),
  /** Aggregates the records that finished since the last run. */
  aggregate: (db: Queryable) => db.query(sumUsage),
}

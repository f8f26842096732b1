import type { Plan, UsageGroup } from '@carabiner/contract'
import { one, type Queryable, type Statement, statement } from '../../../platform/database/database.ts'
import type { Owner } from '../records/record-row.ts'

export type UsageRow = {
  day?: string
  registered_user_id?: string | null
  connector_slug?: string
  tool?: string
  calls: number
  counted: number
  errors: number
  blocked: number
  limited: number
  needs_auth: number
  replayed: number
  unknown: number
}
export type CycleRow = {
  plan: Plan
  limit: number | null
  starts_at: Date
  ends_at: Date
  counted: number
  under_way: number
  left: number | null
}

const DAY = `(started_at at time zone 'UTC')::date`
const midnight = (day: string) => `(${day}::timestamp at time zone 'UTC')`

// Aggregated usage and records not yet aggregated, read in one snapshot, so that each record is counted once.
const used = (byUser: boolean) => `
  select day, ${byUser ? 'registered_user_id' : 'null::uuid as registered_user_id'}, connector_slug, tool, outcome, calls, counted
  from ${byUser ? 'usage_days' : 'usage_totals'}
  where organization_id = $1 and mode = $2 and day >= $3::date and day < $4::date
  union all
  select ${DAY}, registered_user_id, connector_slug, tool, outcome, count(*), count(*) filter (where counted) from tool_calls
  where organization_id = $1 and mode = $2 and started_at >= greatest((select until from usage_summed), ${midnight('$3::date')})
    and started_at < ${midnight('$4::date')}
  group by 1, 2, 3, 4, 5`

const GROUPS: Record<UsageGroup, string[]> = {
  day: ['day::text'],
  user: ['registered_user_id'],
  connector: ['connector_slug'],
  // Tool names are only unique within a connector.
  tool: ['connector_slug', 'tool'],
}
const OUTCOMES = {
  errors: 'error',
  blocked: 'blocked',
  limited: 'limited',
  needs_auth: 'needs_auth',
  replayed: 'replayed',
  unknown: 'unknown',
}

const sumBy = (groups: UsageGroup[]): Statement<UsageRow> => {
  const columns = [...new Set(groups.flatMap(group => GROUPS[group]))]
  const outcomes = Object.entries(OUTCOMES).map(
    ([name, outcome]) => `coalesce(sum(calls) filter (where outcome = '${outcome}'), 0)::bigint as "${name}"`,
  )
  const positions = columns.map((_, at) => at + 1).join(', ')
  return statement(
    `usage.by_${groups.join('_')}`,
    `select ${columns.join(', ')}, sum(calls)::bigint as calls, sum(counted)::bigint as counted, ${outcomes.join(', ')}
     from (${used(groups.includes('user'))}) used group by ${positions} order by ${positions} limit $5`,
  )
}

// Reserved calls count against the limit, because every in-flight call may succeed.
const selectCycle = statement<CycleRow>(
  'usage.cycle',
  `with organization as (
     select id, plan, call_limit, cycle_of(cycle_day, app_now()) as cycle, cycle_day from admission_organizations where id = $1
   ), used as (
     select o.*, ${midnight('o.cycle')} as starts_at,
       ${midnight(`cycle_of(cycle_day, ${midnight('o.cycle')} + interval '1 month 3 days')`)} as ends_at,
       (select coalesce(sum(d.counted), 0) from usage_totals d
         where d.organization_id = o.id and d.mode = 'production' and d.day >= o.cycle)
       + (select count(*) from tool_calls c where c.organization_id = o.id and c.mode = 'production' and c.counted
         and c.started_at >= greatest((select until from usage_summed), ${midnight('o.cycle')})) as counted,
       (select count(*) from calls_under_way w where w.organization_id = o.id and w.mode = 'production'
         and (w.cycle is null or w.slot is not null)) as under_way,
       (select sum(taken) from plan_allowances a where a.organization_id = o.id and a.cycle = o.cycle) as taken
     from organization o
   )
   select plan, call_limit as limit, starts_at, ends_at, counted::bigint as counted, under_way::bigint as under_way,
     case when call_limit is not null then greatest(call_limit - coalesce(taken, counted + under_way), 0) end::bigint as left
   from used`,
)
const sumUsage = statement<never>('usage.sum', 'select sum_usage()')

const statements = new Map<string, Statement<UsageRow>>()

type Days = { since: string; until: string }

export const usageStore = {
  sum: (
    db: Queryable,
    { organizationId, mode }: Owner,
    { since, until }: Days,
    groups: UsageGroup[],
    limit: number,
  ): Promise<UsageRow[]> => {
    const key = groups.join()
    const grouped = statements.get(key) ?? sumBy(groups)
    statements.set(key, grouped)
    return db.query(grouped, [organizationId, mode, since, until, limit])
  },
  cycle: (db: Queryable, organizationId: string) => one(db, selectCycle, [organizationId]),
  /** Aggregates the records that finished since the last run. */
  aggregate: (db: Queryable) => db.query(sumUsage),
}

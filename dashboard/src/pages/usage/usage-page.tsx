import type { UsageCycle } from '@carabiner/sdk'
import { getRouteApi } from '@tanstack/react-router'
import { Download } from 'lucide-react'
import { useScope } from '../../api/use-api.ts'
import { BarList } from '../../charts/bar-list.tsx'
import { USAGE_SERIES, type UsagePoint } from '../../charts/series.ts'
import { StackedFigure } from '../../charts/stacked-figure.tsx'
import { Button } from '../../ui/button.tsx'
import { Card } from '../../ui/card.tsx'
import { ConnectorNames } from '../../ui/data/connector-names.tsx'
import { download, toCsv } from '../../ui/data/download.ts'
import { ProgressBar } from '../../ui/data/progress-bar.tsx'
import { Stat } from '../../ui/data/stat.tsx'
import { UserName } from '../../ui/data/user-name.tsx'
import { Filter } from '../../ui/lists/filter.tsx'
import { FilterBar } from '../../ui/lists/filter-bar.tsx'
import { Page } from '../../ui/page.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { ErrorNote } from '../../ui/states/error-note.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { dailyUsage } from './daily-usage.ts'
import {
  projectUsage,
  type UsageGroup,
  type UsagePeriod,
  type UsageRow,
  useCycle,
  useUsage,
} from './use-usage.ts'

const route = getRouteApi('/o/$organization/$mode/usage')
/** The rows with the most calls. All are in the CSV file. */
const MAX_SHOWN = 50

const UsagePage = () => {
  const { by = 'day', period = 'cycle' } = route.useSearch()
  const navigate = route.useNavigate()
  const cycle = useCycle()
  const usage = useUsage(by, period, cycle.data)
  const rows = usage.data?.data
  const { mode } = useScope()
  // Calls of test mode do not count, so there is nothing to project.
  const projectedCycle = period === 'cycle' && mode === 'production' ? (cycle.data ?? null) : null
  return (
    <Page
      title="Usage"
      note="Successful production calls count toward the plan. Everything else is free."
      actions={
        <Button
          disabled={!rows || rows.length === 0}
          icon={<Download className="size-4" aria-hidden="true" />}
          onClick={() => rows && save(by, rows)}
        >
          Save as CSV
        </Button>
      }
    >
      <Card title="Billing cycle" note={cycle.data && daysOf(cycle.data)}>
        {cycle.data ? (
          <Cycle cycle={cycle.data} />
        ) : cycle.error ? (
          <ErrorNote error={cycle.error} />
        ) : (
          <SkeletonRows label="Loading the billing cycle" rows={2} isInCard={false} />
        )}
      </Card>
      <FilterBar>
        <Filter<UsagePeriod>
          label="Period"
          value={period}
          options={[
            { value: 'cycle', label: 'This cycle' },
            { value: '7d', label: 'Last 7 days' },
            { value: '30d', label: 'Last 30 days' },
            { value: '90d', label: 'Last 90 days' },
          ]}
          onChange={next => void navigate({ search: previous => ({ ...previous, period: next }) })}
        />
        <Filter<UsageGroup>
          label="By"
          value={by}
          options={[
            { value: 'day', label: 'Day' },
            { value: 'user', label: 'User' },
            { value: 'connector', label: 'Connector' },
            { value: 'tool', label: 'Tool' },
          ]}
          onChange={next => void navigate({ search: previous => ({ ...previous, by: next }) })}
        />
      </FilterBar>
      {usage.error && !rows ? (
        <Card>
          <ErrorState error={usage.error} onRetry={() => void usage.refetch()} />
        </Card>
      ) : (
        <>
          <Totals rows={rows} />
          <Card title={`Calls by ${by}`}>
            {!rows ? (
              <SkeletonRows label="Loading usage" isInCard={false} />
            ) : rows.length === 0 ? (
              <EmptyState title="No calls in this period">
                Calls appear here as soon as they end. Choose a longer period to see earlier ones.
              </EmptyState>
            ) : by === 'day' ? (
              <CallsByDay points={dailyUsage(rows, usage.since, Date.now(), projectedCycle)} />
            ) : (
              <Ranking by={by} rows={rows} />
            )}
          </Card>
        </>
      )}
    </Page>
  )
}

const day = new Intl.DateTimeFormat(undefined, { day: 'numeric', month: 'long', timeZone: 'UTC' })
const formatDay = (date: string): string => day.format(new Date(`${date}T00:00:00Z`))
const daysOf = ({ starts_at, ends_at, plan }: UsageCycle): string =>
  `From ${day.format(new Date(starts_at))} to ${day.format(new Date(Date.parse(ends_at) - 1))} (UTC), plan ${plan}`

/** Counted, not counted and, if there are any, projected calls. */
const CallsByDay = ({ points }: { points: readonly UsagePoint[] }) => (
  <StackedFigure
    label="Calls by day"
    points={points}
    series={USAGE_SERIES.filter(
      ({ key }) => key !== 'projected' || points.some(({ projected }) => projected > 0),
    )}
    timeLabel="Day"
    formatTime={formatDay}
  />
)

const Cycle = ({ cycle }: { cycle: UsageCycle }) => {
  const projected = projectUsage(cycle, Date.now())
  const { limit, counted, in_flight: inFlight } = cycle
  return (
    <div className="grid gap-3 text-sm">
      {limit === null ? (
        <p>
          <b className="text-lg font-semibold">{counted.toLocaleString()}</b>{' '}
          {counted === 1 ? 'call' : 'calls'}. The plan has no limit.
        </p>
      ) : (
        <ProgressBar label="Counted calls" value={counted} max={limit} />
      )}
      <p className="text-muted">
        {projected === null
          ? 'Not enough data for a projection yet.'
          : `About ${projected.toLocaleString()} calls by the end of the cycle, at the rate so far.`}
        {limit !== null && projected !== null && projected > limit && counted < limit
          ? ' That is more than the plan includes.'
          : ''}
        {inFlight > 0 ? ` ${inFlight.toLocaleString()} calls are in flight.` : ''}
      </p>
    </div>
  )
}

const REASONS = [
  ['errors', 'Failed'],
  ['needs_auth', 'Needed a connection'],
  ['approval_required', 'Needed an approval'],
  ['blocked', 'Blocked by a rule'],
  ['limited', 'Limited'],
  ['replayed', 'Replayed'],
  ['unknown', 'Outcome unknown'],
  ['withheld', 'Withheld'],
] as const

const Totals = ({ rows }: { rows: readonly UsageRow[] | undefined }) => {
  const { mode } = useScope()
  const sum = (name: 'calls' | 'counted' | (typeof REASONS)[number][0]): number =>
    (rows ?? []).reduce((total, row) => total + row[name], 0)
  const [calls, counted] = [sum('calls'), sum('counted')]
  const reasons = REASONS.map(([name, label]): { key: string; name: string; value: number } => ({
    key: name,
    name: label,
    value: sum(name),
  })).filter(({ value }) => value > 0)
  const explained = reasons.reduce((total, { value }) => total + value, counted)
  if (calls > explained)
    reasons.push({
      key: 'free',
      name: mode === 'test' ? 'Successful in test mode' : 'Free',
      value: calls - explained,
    })
  return (
    <div className="grid gap-3 lg:grid-cols-3">
      <Stat label="Counted" isPending={!rows} value={counted.toLocaleString()} note="toward the plan" />
      <Stat label="Not counted" isPending={!rows} value={(calls - counted).toLocaleString()} note="free" />
      <Card title="Why calls were not counted">
        {reasons.length === 0 ? (
          <p className="text-sm text-muted">All calls were counted.</p>
        ) : (
          <BarList label="Why calls were not counted" items={reasons} />
        )}
      </Card>
    </div>
  )
}

type Ranked = Exclude<UsageGroup, 'day'>

const keyOf = (by: Ranked, row: UsageRow): string =>
  by === 'user'
    ? (row.registered_user_id ?? '')
    : by === 'connector'
      ? (row.connector ?? '')
      : `${row.connector ?? ''}/${row.tool}`

const NameOf = ({ by, row }: { by: Ranked; row: UsageRow }) => {
  if (by === 'user')
    return row.registered_user_id ? <UserName id={row.registered_user_id} /> : <>Deleted users</>
  if (by === 'connector')
    return row.connector ? <ConnectorNames slugs={[row.connector]} /> : <>Carabiner itself</>
  return (
    <code className="font-mono text-xs">{row.connector ? `${row.connector}__${row.tool}` : row.tool}</code>
  )
}

const Ranking = ({ by, rows }: { by: Ranked; rows: readonly UsageRow[] }) => {
  const sorted = rows.toSorted((a, b) => b.calls - a.calls)
  return (
    <div className="grid gap-3">
      <BarList
        label={`Calls by ${by}`}
        items={sorted.slice(0, MAX_SHOWN).map(row => ({
          key: keyOf(by, row),
          name: <NameOf by={by} row={row} />,
          value: row.calls,
        }))}
      />
      {rows.length > MAX_SHOWN && (
        <p className="text-sm text-muted">
          {(rows.length - MAX_SHOWN).toLocaleString()} more are in the CSV file.
        </p>
      )}
    </div>
  )
}

const NUMBERS = [
  'calls',
  'counted',
  'errors',
  'needs_auth',
  'approval_required',
  'blocked',
  'limited',
  'replayed',
  'unknown',
  'withheld',
] as const

const save = (by: UsageGroup, rows: readonly UsageRow[]): void => {
  const names = by === 'tool' ? (['connector', 'tool'] as const) : ([by] as const)
  const value = (row: UsageRow, name: string): string | null | undefined =>
    name === 'user' ? row.registered_user_id : row[name as 'day' | 'connector' | 'tool']
  download(
    `usage-by-${by}.csv`,
    'text/csv',
    toCsv([
      [...names, ...NUMBERS],
      ...rows.map(row => [...names.map(name => value(row, name)), ...NUMBERS.map(name => row[name])]),
    ]),
  )
}

export default UsagePage

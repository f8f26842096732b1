import type { ToolCallSummary } from '@carabiner/sdk'
import { useScope } from '../../api/use-api.ts'
import { useApiQuery } from '../../api/use-api-query.ts'
import { OUTCOME_SERIES } from '../../charts/series.ts'
import { StackedFigure } from '../../charts/stacked-figure.tsx'
import { Card } from '../../ui/card.tsx'
import { cx } from '../../ui/cx.ts'
import { ProgressBar } from '../../ui/data/progress-bar.tsx'
import { Stat } from '../../ui/data/stat.tsx'
import { Page } from '../../ui/page.tsx'
import { PageLink } from '../../ui/page-link.tsx'
import { EmptyState } from '../../ui/states/empty-state.tsx'
import { ErrorState } from '../../ui/states/error-state.tsx'
import { SkeletonRows } from '../../ui/states/skeleton.tsx'
import { formatMs } from '../logs/call-row.ts'
import { useCycle } from '../usage/use-usage.ts'
import { ErrorGroups } from './error-groups.tsx'
import { FirstSteps } from './first-steps.tsx'
import { RecentCalls } from './recent-calls.tsx'
import { AT_RISK, RiskGroups } from './risk-groups.tsx'
import { PREVIOUS, SUMMARY } from './summary-query.ts'
import { callTrend, failureTrend, type Trend } from './trend.ts'

const REFRESH_MS = 30_000
const COMPARISON_REFRESH_MS = 600_000
const hour = new Intl.DateTimeFormat(undefined, { hour: '2-digit', minute: '2-digit', hourCycle: 'h23' })

const HomePage = () => {
  const { data, error, refetch } = useApiQuery(SUMMARY.key, SUMMARY.load, { refetchInterval: REFRESH_MS })
  const { data: atRisk } = useApiQuery(AT_RISK.key, AT_RISK.load, { refetchInterval: COMPARISON_REFRESH_MS })
  return (
    <Page title="Home">
      {error && !data ? (
        <Card>
          <ErrorState error={error} onRetry={() => void refetch()} />
        </Card>
      ) : (
        <>
          <Stats summary={data} />
          <div className="grid gap-4 lg:has-[>:nth-child(2)]:grid-cols-[minmax(0,1.8fr)_minmax(20rem,1fr)]">
            {data && data.calls > 0 && (
              <Card title="Calls by outcome" note={coverageOf(data)}>
                <StackedFigure
                  label="Calls by outcome"
                  points={data.series}
                  series={OUTCOME_SERIES}
                  timeLabel="Time"
                  formatTime={at => hour.format(new Date(at))}
                />
              </Card>
            )}
            <FirstSteps />
          </div>
          <Card title="What needs attention" isFlush>
            {atRisk && atRisk.data.length > 0 && <RiskGroups risks={atRisk.data} hasMore={atRisk.has_more} />}
            {!data ? (
              <SkeletonRows label="Loading errors" rows={3} />
            ) : data.errors.length > 0 ? (
              <ErrorGroups groups={data.errors} />
            ) : atRisk?.data.length === 0 ? (
              <EmptyState title="No failed calls in the last 24 hours">
                {data.calls === 0
                  ? 'There were no calls either. Failed calls appear here in groups, with what to do about them.'
                  : 'Failed calls appear here in groups, with what to do about them.'}
              </EmptyState>
            ) : null}
          </Card>
          <RecentCalls refetchInterval={REFRESH_MS} />
        </>
      )}
    </Page>
  )
}

const coverageOf = ({ since, covered_since: covered, calls }: ToolCallSummary): string =>
  since === covered
    ? 'Last 24 hours'
    : `The latest ${calls.toLocaleString()} calls, since ${hour.format(new Date(covered))}`

const percent = new Intl.NumberFormat(undefined, { style: 'percent', maximumFractionDigits: 2 })

const Stats = ({ summary }: { summary: ToolCallSummary | undefined }) => {
  const isPending = summary === undefined
  const { data: previous } = useApiQuery(PREVIOUS.key, PREVIOUS.load, {
    refetchInterval: COMPARISON_REFRESH_MS,
    enabled: !isPending,
  })
  const calls = summary && previous ? callTrend(summary, previous) : null
  const failures = summary && previous ? failureTrend(summary, previous) : null
  return (
    <div className="grid grid-cols-2 gap-3 lg:grid-cols-4">
      <Stat
        label="Calls"
        isPending={isPending}
        value={summary?.calls.toLocaleString()}
        note={calls ? <TrendNote trend={calls} /> : summary && coverageOf(summary)}
      >
        <PlanMeter />
      </Stat>
      <Stat
        label="Failed"
        isPending={isPending}
        value={summary && (summary.calls === 0 ? '–' : percent.format(summary.failed / summary.calls))}
        note={
          summary && (
            <>
              {`${summary.failed.toLocaleString()} ${summary.failed === 1 ? 'call' : 'calls'}`}
              {failures && (
                <>
                  {', '}
                  <TrendNote
                    trend={failures}
                    color={failures.direction === 'up' ? 'text-bad' : 'text-good'}
                  />
                </>
              )}
            </>
          )
        }
      />
      <Stat
        label="Added latency, p95"
        isPending={isPending}
        value={summary && formatMs(summary.gateway_ms.p95)}
        note={summary && `providers take ${formatMs(summary.third_party_ms.p95)}`}
      />
      <Stat
        label="Waiting to connect"
        isPending={isPending}
        value={
          summary &&
          `${summary.waiting_users.toLocaleString()} ${summary.waiting_users === 1 ? 'user' : 'users'}`
        }
        note={
          summary && summary.waiting_users > 0 ? (
            <PageLink
              path="/logs?outcome=needs_auth"
              className="inline-flex min-h-6 items-center underline max-md:min-h-11"
            >
              See their calls
            </PageLink>
          ) : (
            'whose calls needed a connection'
          )
        }
      />
    </div>
  )
}

const TrendNote = ({ trend, color }: { trend: Trend; color?: string }) => (
  <>
    <span className={cx('font-medium', color)}>
      <span aria-hidden="true">{trend.direction === 'up' ? '▲' : '▼'} </span>
      <span className="sr-only">{trend.direction} </span>
      {trend.text}
    </span>{' '}
    vs. the day before
  </>
)

/** Only production calls count toward the plan. */
const PlanMeter = () => {
  const { mode } = useScope()
  const { data } = useCycle()
  if (!data || data.limit === null || mode === 'test') return null
  return (
    <div className="pt-1.5">
      <ProgressBar
        label="Plan"
        value={data.counted}
        max={data.limit}
        text={`${data.counted.toLocaleString()} of ${data.limit.toLocaleString()}`}
      />
    </div>
  )
}

export default HomePage

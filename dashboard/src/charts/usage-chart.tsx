import { lazy, Suspense } from 'react'
import { Skeleton } from '../ui/states/skeleton.tsx'
import { USAGE_SERIES, type UsagePoint } from './series.ts'
import { StackedFigure } from './stacked-figure.tsx'

const UsageBars = lazy(() => import('./usage-bars.tsx'))

type Props = { label: string; points: readonly UsagePoint[]; formatDay: (day: string) => string }

/** Calls by day: counted, not counted and, if there are any, projected ones. */
export const UsageChart = ({ label, points, formatDay }: Props) => {
  const series = points.some(({ projected }) => projected > 0)
    ? USAGE_SERIES
    : USAGE_SERIES.filter(({ key }) => key !== 'projected')
  return (
    <StackedFigure
      label={label}
      points={points}
      series={series}
      timeLabel="Day"
      formatTime={formatDay}
      chart={
        <Suspense fallback={<Skeleton label={`Loading ${label}`} className="h-60 w-full" />}>
          <UsageBars points={points} series={series} formatDay={formatDay} />
        </Suspense>
      }
    />
  )
}

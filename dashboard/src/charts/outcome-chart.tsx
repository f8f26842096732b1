import { lazy, Suspense } from 'react'
import { OUTCOMES } from '../ui/data/outcome.tsx'
import { Skeleton } from '../ui/states/skeleton.tsx'
import { type OutcomePoint, STACK } from './series.ts'
import { StackedFigure } from './stacked-figure.tsx'

const OutcomeArea = lazy(() => import('./outcome-area.tsx'))

type Props = { label: string; points: readonly OutcomePoint[]; formatTime: (at: string) => string }

const SERIES = STACK.toReversed().map(key => ({
  key,
  label: OUTCOMES[key].label,
  fill: OUTCOMES[key].fill,
}))

/** Calls over time, stacked by outcome. */
export const OutcomeChart = ({ label, points, formatTime }: Props) => (
  <StackedFigure
    label={label}
    points={points}
    series={SERIES}
    timeLabel="Time"
    formatTime={formatTime}
    chart={
      <Suspense fallback={<Skeleton label={`Loading ${label}`} className="h-60 w-full" />}>
        <OutcomeArea points={points} formatTime={formatTime} />
      </Suspense>
    }
  />
)

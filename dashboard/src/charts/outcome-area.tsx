import { Area, AreaChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { OUTCOMES } from '../ui/data/outcome.tsx'
import { CHART, CHART_BOX, COUNT_AXIS, GRID, TIME_AXIS, tooltipOf } from './chart-parts.ts'
import { type OutcomePoint, STACK } from './series.ts'

type Props = { points: readonly OutcomePoint[]; formatTime: (at: string) => string }

/** Loaded when the first chart is shown, because the chart library is as large as the rest of a page. */
const OutcomeArea = ({ points, formatTime }: Props) => (
  <div className={CHART_BOX} aria-hidden="true">
    <ResponsiveContainer width="100%" height="100%">
      <AreaChart {...CHART} data={[...points]}>
        <CartesianGrid {...GRID} />
        <XAxis {...TIME_AXIS} tickFormatter={formatTime} minTickGap={56} />
        <YAxis {...COUNT_AXIS} width={36} />
        <Tooltip {...tooltipOf(formatTime)} />
        {STACK.map(outcome => (
          <Area
            key={outcome}
            dataKey={outcome}
            name={OUTCOMES[outcome].label}
            stackId="outcomes"
            type="monotone"
            stroke="none"
            fill={OUTCOMES[outcome].color}
            fillOpacity={0.9}
            isAnimationActive={false}
          />
        ))}
      </AreaChart>
    </ResponsiveContainer>
  </div>
)

export default OutcomeArea

import { Bar, BarChart, CartesianGrid, ResponsiveContainer, Tooltip, XAxis, YAxis } from 'recharts'
import { CHART, CHART_BOX, COUNT_AXIS, GRID, TIME_AXIS, tooltipOf } from './chart-parts.ts'
import type { USAGE_SERIES, UsagePoint } from './series.ts'

type Props = {
  points: readonly UsagePoint[]
  series: readonly (typeof USAGE_SERIES)[number][]
  formatDay: (day: string) => string
}

/** Loaded when the first chart is shown, because the chart library is as large as the rest of a page. */
const UsageBars = ({ points, series, formatDay }: Props) => (
  <div className={CHART_BOX} aria-hidden="true">
    <ResponsiveContainer width="100%" height="100%">
      <BarChart {...CHART} data={[...points]} barCategoryGap="18%" maxBarSize={48}>
        <CartesianGrid {...GRID} />
        <XAxis {...TIME_AXIS} tickFormatter={formatDay} minTickGap={40} />
        <YAxis {...COUNT_AXIS} width={44} />
        <Tooltip {...tooltipOf(formatDay)} cursor={{ fill: 'var(--hover)' }} />
        {series.map(({ key, label, color, opacity }) => (
          <Bar
            key={key}
            dataKey={key}
            name={label}
            stackId="calls"
            fill={color}
            fillOpacity={opacity}
            isAnimationActive={false}
          />
        ))}
      </BarChart>
    </ResponsiveContainer>
  </div>
)

export default UsageBars

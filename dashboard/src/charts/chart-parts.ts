/** What all charts look like. */
/** Clipped, because a chart keeps its old width for a moment when its box becomes narrower. */
export const CHART_BOX = 'h-60 overflow-x-clip text-xs'
export const CHART = { margin: { top: 6, right: 0, bottom: 0, left: 0 }, accessibilityLayer: false }
export const GRID = { vertical: false, stroke: 'var(--line)' }

const AXIS = { tickLine: false, axisLine: false, tick: { fill: 'var(--muted)' } }
export const TIME_AXIS = { ...AXIS, dataKey: 'at' }
export const COUNT_AXIS = { ...AXIS, allowDecimals: false }

export const tooltipOf = (formatTime: (at: string) => string) => ({
  isAnimationActive: false,
  labelFormatter: (at: unknown) => (typeof at === 'string' ? formatTime(at) : ''),
  contentStyle: {
    background: 'var(--raised)',
    border: '1px solid var(--line)',
    borderRadius: 10,
    color: 'var(--ink)',
  },
  itemStyle: { color: 'var(--ink)' },
})

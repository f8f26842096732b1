import type { ToolCallSummary } from '@carabiner/sdk'

type Summary = Pick<ToolCallSummary, 'calls' | 'failed' | 'since' | 'covered_since'>
export type Trend = { direction: 'up' | 'down'; text: string }

/** Summaries of different parts of a day cannot be compared, and nothing can be compared with no calls. */
const isComparable = (now: Summary, before: Summary): boolean =>
  before.calls > 0 && [now, before].every(({ since, covered_since: covered }) => since === covered)

const percent = (part: number): string => `${Math.round(part * 100).toLocaleString()}%`

/** How the number of calls has changed. Null: not known, or by less than half a percent. */
export const callTrend = (now: Summary, before: Summary): Trend | null => {
  if (!isComparable(now, before)) return null
  const change = now.calls / before.calls - 1
  if (Math.abs(change) < 0.005) return null
  return { direction: change > 0 ? 'up' : 'down', text: percent(Math.abs(change)) }
}

/** How the share of failed calls has changed, in percentage points. Null: not known, or by less than 0.05. */
export const failureTrend = (now: Summary, before: Summary): Trend | null => {
  if (!isComparable(now, before) || now.calls === 0) return null
  const points = (now.failed / now.calls - before.failed / before.calls) * 100
  if (Math.abs(points) < 0.05) return null
  return { direction: points > 0 ? 'up' : 'down', text: `${Math.abs(points).toFixed(1)} points` }
}

import type { UsageCycle } from '@carabiner/sdk'
import type { UsagePoint } from '../../charts/series.ts'
import { projectUsage, type UsageRow } from './use-usage.ts'

const DAY_MS = 86_400_000
const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

/** Every day from the first one until today, also those without calls; with a cycle, the projection until its end. */
export const dailyUsage = (
  rows: readonly UsageRow[],
  since: string,
  now: number,
  cycle: UsageCycle | null,
): UsagePoint[] => {
  const byDay = new Map(rows.map(row => [row.day, row]))
  const points: UsagePoint[] = []
  for (let time = Date.parse(since); time <= now; time += DAY_MS) {
    const { calls = 0, counted = 0 } = byDay.get(dayOf(time)) ?? {}
    points.push({ at: dayOf(time), counted, uncounted: calls - counted, projected: 0 })
  }
  return cycle ? [...points, ...projectedDays(cycle, now)] : points
}

/** The calls that are projected for the rest of the cycle, spread evenly over the days after today. */
const projectedDays = (cycle: UsageCycle, now: number): UsagePoint[] => {
  const total = projectUsage(cycle, now)
  const tomorrow = Date.parse(dayOf(now + DAY_MS))
  const days = Math.ceil((Date.parse(cycle.ends_at) - tomorrow) / DAY_MS)
  if (total === null || days <= 0) return []
  const perDay = Math.round((total - cycle.counted) / days)
  return Array.from({ length: days }, (_, n) => ({
    at: dayOf(tomorrow + n * DAY_MS),
    counted: 0,
    uncounted: 0,
    projected: perDay,
  }))
}

import type { Usage, UsageCycle } from '@carabiner/sdk'
import { useApiQuery } from '../../api/use-api-query.ts'
import type { GROUPS, PERIODS } from './usage-search.ts'

export type UsageGroup = (typeof GROUPS)[number]
export type UsagePeriod = (typeof PERIODS)[number]
export type UsageRow = Usage['data'][number]

const REFRESH_MS = 60_000
const DAY_MS = 86_400_000
const DAYS: Record<Exclude<UsagePeriod, 'cycle'>, number> = { '7d': 7, '30d': 30, '90d': 90 }

/** The billing cycle. It counts production calls, whatever the current mode is. */
export const useCycle = () =>
  useApiQuery(['usage', 'cycle'], (api, options) => api.usage.cycle(options), {
    mode: 'production',
    refetchInterval: REFRESH_MS,
  })

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10)

export const useUsage = (by: UsageGroup, period: UsagePeriod, cycle: UsageCycle | undefined) => {
  const today = Date.now()
  const since =
    period === 'cycle' ? (cycle?.starts_at ?? '').slice(0, 10) : dayOf(today - (DAYS[period] - 1) * DAY_MS)
  const query = useApiQuery(
    ['usage', by, since],
    (api, options) => api.usage.get({ since, until: dayOf(today + DAY_MS), group_by: by }, options),
    { enabled: since !== '' },
  )
  return { ...query, since }
}

/** Calls at the end of the cycle, if they go on as in the cycle so far. Null in its first hours, which say little. */
export const projectUsage = ({ counted, starts_at, ends_at }: UsageCycle, now: number): number | null => {
  const [start, end] = [Date.parse(starts_at), Date.parse(ends_at)]
  const elapsed = now - start
  if (elapsed < DAY_MS / 4 || counted === 0) return null
  return Math.round((counted / elapsed) * (end - start))
}

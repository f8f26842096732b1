import { type UsageCycle, type UsageGroup, type UsageSum, usageGroups } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import { DAY } from '../../../core/duration.ts'
import { dayOf, parseTime } from '../../../core/parse-time.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import { type CycleUsage, type GroupedUsage, usageStore } from './usage-store.ts'

const DEFAULT_DAYS = 30
const MAX_DAYS = 732
const MAX_GROUPS = 10_000

type Deps = { db: Database; lists: ReadDatabase }

export const usageRoutes = (api: Api, { db, lists }: Deps): void => {
  serve(api, operations.getUsage, async request => {
    const groups = parseGroups(request.query.group_by)
    const days = parseDays(request.query)
    const rows = await usageStore.sum(lists, request.principal, days, groups, MAX_GROUPS + 1)
    if (rows.length > MAX_GROUPS)
      throw invalid(
        'group_by',
        `produces more than ${MAX_GROUPS} groups; request fewer days or fewer dimensions`,
      )
    return { ...days, data: rows.map(toUsageSum) }
  })

  serve(api, operations.getUsageCycle, async request =>
    toUsageCycle(await usageStore.cycle(db, request.principal.organizationId)),
  )
}

const invalid = (param: string, why: string): Refusal =>
  new Refusal('invalid_request', { param, message: `"${param}" ${why}.` })

/** Sorted in a fixed order, so that each set of groups has one statement. */
const parseGroups = (given = 'day'): UsageGroup[] => {
  const requested = given.split(',').map(word => word.trim())
  const chosen = usageGroups.filter(group => requested.includes(group))
  if (requested.some(word => !(usageGroups as readonly string[]).includes(word)))
    throw invalid('group_by', `must be a comma-separated list of ${usageGroups.join(', ')}`)
  return chosen
}

const parseDays = (query: { since?: string; until?: string }): { since: string; until: string } => {
  const until = parseTime('until', query.until) ?? new Date(Date.now() + DAY)
  const since = parseTime('since', query.since) ?? new Date(until.getTime() - DEFAULT_DAYS * DAY)
  const days = (Date.parse(dayOf(until)) - Date.parse(dayOf(since))) / DAY
  if (days < 1 || days > MAX_DAYS) throw invalid('since', `must be 1 to ${MAX_DAYS} days before "until"`)
  return { since: dayOf(since), until: dayOf(until) }
}

const toUsageSum = ({
  registeredUserId,
  connectorSlug,
  needsAuth,
  approvalRequired,
  ...usage
}: GroupedUsage): UsageSum => ({
  ...usage,
  needs_auth: needsAuth,
  approval_required: approvalRequired,
  ...(registeredUserId !== undefined && { registered_user_id: registeredUserId }),
  ...(connectorSlug !== undefined && { connector: connectorSlug === '' ? null : connectorSlug }),
})

const toUsageCycle = (usage: CycleUsage | null): UsageCycle => {
  if (!usage) throw new Refusal('not_found')
  const { startsAt, endsAt, inFlight, ...rest } = usage
  return { ...rest, starts_at: startsAt.toISOString(), ends_at: endsAt.toISOString(), in_flight: inFlight }
}

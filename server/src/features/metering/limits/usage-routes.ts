import {
  Usage,
  UsageCycle,
  type UsageGroup,
  UsageQuery,
  type UsageSum,
  usageGroups,
} from '@carabiner/contract'
import { DAY } from '../../../core/duration.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { Api } from '../../../edge/api.ts'
import type { Database } from '../../../platform/database/database.ts'
import { dayOf, parseMoment } from '../records/moment.ts'
import { type CycleRow, type UsageRow, usageStore } from './usage-store.ts'

const tags = ['Usage']
const USUAL_DAYS = 30
const MOST_DAYS = 732
const MOST_GROUPS = 10_000

export const usageRoutes = (api: Api, { db }: { db: Database }): void => {
  api.get(
    '/usage',
    {
      config: { errors: ['invalid_request'] },
      schema: {
        summary: 'Sum up tool calls by day, user, connector and tool',
        description: 'Of the key’s own mode. Calls of users who were deleted since have no user.',
        tags,
        querystring: UsageQuery,
        response: { 200: Usage },
      },
    },
    async request => {
      const groups = parseGroups(request.query.group_by)
      const days = parseDays(request.query)
      const rows = await usageStore.sum(db, request.principal, days, groups, MOST_GROUPS + 1)
      if (rows.length > MOST_GROUPS)
        throw invalid(
          'group_by',
          `makes more than ${MOST_GROUPS} groups here: ask for fewer days, or for less`,
        )
      return { ...days, data: rows.map(showSum) }
    },
  )

  api.get(
    '/usage/cycle',
    {
      schema: {
        summary: 'Read what the billing cycle of now has used and has left',
        tags,
        response: { 200: UsageCycle },
      },
    },
    async request => showCycle(await usageStore.cycle(db, request.principal.organizationId)),
  )
}

const invalid = (param: string, why: string): Refusal =>
  new Refusal('invalid_request', { param, message: `"${param}" ${why}.` })

/** In the order of the list, whatever the caller's: one statement for each set. */
const parseGroups = (given = 'day'): UsageGroup[] => {
  const asked = given.split(',').map(word => word.trim())
  const chosen = usageGroups.filter(group => asked.includes(group))
  if (asked.some(word => !(usageGroups as readonly string[]).includes(word)))
    throw invalid('group_by', `names some of ${usageGroups.join(', ')}, separated by commas`)
  return chosen
}

const parseDays = (query: { since?: string; until?: string }): { since: string; until: string } => {
  const until = parseMoment('until', query.until) ?? new Date(Date.now() + DAY)
  const since = parseMoment('since', query.since) ?? new Date(until.getTime() - USUAL_DAYS * DAY)
  const days = (Date.parse(dayOf(until)) - Date.parse(dayOf(since))) / DAY
  if (days < 1 || days > MOST_DAYS) throw invalid('since', `is 1 to ${MOST_DAYS} days before "until"`)
  return { since: dayOf(since), until: dayOf(until) }
}

const showSum = ({ connector_slug, ...row }: UsageRow): UsageSum => ({
  ...row,
  ...(connector_slug !== undefined && { connector: connector_slug === '' ? null : connector_slug }),
})

const showCycle = (row: CycleRow | null): UsageCycle => {
  if (!row) throw new Refusal('not_found')
  return { ...row, starts_at: row.starts_at.toISOString(), ends_at: row.ends_at.toISOString() }
}

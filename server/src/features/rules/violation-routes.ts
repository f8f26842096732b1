import { type RuleViolation } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import { parsePage, toPage } from '../../core/cursor.ts'
import { Refusal } from '../../core/refusal.ts'
import { isUuid, NIL_UUID } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import { serve } from '../../edge/serve.ts'
import type { ReadDatabase } from '../../platform/database/read-database.ts'
import { ruleViolationStore, type StoredViolation, type ViolationFilter } from './rule-violation-store.ts'

type Query = { registered_user_id?: string; entity?: string; since?: string }

export const ruleViolationRoutes = (api: Api, { lists }: { lists: ReadDatabase }): void => {
  serve(api, operations.listRuleViolations, async request => {
    const { limit, after } = parsePage(request.query)
    const filter = readFilter(request.query)
    const rows = await ruleViolationStore.list(lists, request.principal, filter, {
      after,
      limit: limit + 1,
    })
    const page = toPage(rows, limit)
    return { ...page, data: page.data.map(show) }
  })

  serve(api, operations.summarizeRuleViolations, async request => {
    const days = Number(request.query.days ?? DEFAULT_SUMMARY_DAYS)
    return ruleViolationStore.summarize(lists, request.principal, days, MAX_SUMMARIZED)
  })
}

const DEFAULT_SUMMARY_DAYS = 30
/** More violations would take seconds to count. */
const MAX_SUMMARIZED = 100_000

const readFilter = ({ registered_user_id: user, entity, since }: Query): ViolationFilter => ({
  // An invalid ID matches no user.
  registeredUserId: user === undefined ? null : isUuid(user) ? user : NIL_UUID,
  entity: entity ?? null,
  since: since === undefined ? null : readTime(since),
})

const ISO_TIME = /^\d{4}-\d{2}-\d{2}(T\d{2}:\d{2}(:\d{2}(\.\d{1,9})?)?(Z|[+-]\d{2}:\d{2}))?$/

const readTime = (text: string): Date => {
  const time = new Date(text)
  if (ISO_TIME.test(text) && !Number.isNaN(time.getTime())) return time
  throw new Refusal('invalid_request', {
    param: 'since',
    message: '"since" must be an ISO 8601 time, such as 2026-01-31T09:00:00Z.',
  })
}

const show = (violation: StoredViolation): RuleViolation => ({
  id: violation.id,
  registered_user_id: violation.registeredUserId,
  tool_call_id: violation.toolCallId,
  connector: violation.connectorSlug || null,
  tool: violation.tool,
  at: violation.at.toISOString(),
  direction: violation.direction,
  entity: violation.entity,
  rule: violation.rule,
  action: violation.action,
  count: violation.count,
  score: violation.score,
  dry_run: violation.dryRun,
})

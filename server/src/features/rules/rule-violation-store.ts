import type { RuleAction, RuleDirection } from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import { type Queryable, statement } from '../../platform/database/database.ts'

export type ViolationRow = {
  id: string
  registered_user_id: string
  tool_call_id: string
  at: Date
  direction: RuleDirection
  entity: string
  rule: string
  action: RuleAction
  count: number
  score: number
  dry_run: boolean
}
export type ViolationFilter = { registeredUserId: string | null; entity: string | null; since: Date | null }

const COLUMNS =
  'id, registered_user_id, tool_call_id, at, direction, entity, rule, action, count, score, dry_run'

// Newest first. Each statement has an index that ends in `id`, so that a page is read without skipping rows.
const listing = (name: string, where: string) =>
  statement<ViolationRow>(
    `rule_violations.${name}`,
    `select ${COLUMNS} from rule_violations where organization_id = $1 and mode = $2 and ($3::uuid is null or id < $3)
       and ($4::timestamptz is null or at >= $4) and ${where} order by id desc limit $5`,
  )
const lists = {
  all: listing('list', '$6::uuid is null and $7::text is null'),
  ofEntity: listing('list_of_entity', '$6::uuid is null and entity = $7'),
  ofUser: listing('list_of_user', 'registered_user_id = $6 and ($7::text is null or entity = $7)'),
}

// Violations are retained as long as call records, and deleted in batches.
const deleteOld = statement<never>(
  'rule_violations.delete_old',
  `delete from rule_violations where (organization_id, id) in (
     select v.organization_id, v.id from rule_violations v join admission_organizations o on o.id = v.organization_id
     where v.at < app_now() - interval '90 days' and v.at < app_now() - make_interval(days => o.kept_days)
     order by v.at limit 10000)`,
)

export const ruleViolationStore = {
  list: (
    db: Queryable,
    { organizationId, mode }: { organizationId: string; mode: Mode },
    { registeredUserId, entity, since }: ViolationFilter,
    page: { after: string | null; limit: number },
  ) => {
    const from = registeredUserId !== null ? lists.ofUser : entity !== null ? lists.ofEntity : lists.all
    return db.query(from, [organizationId, mode, page.after, since, page.limit, registeredUserId, entity])
  },
  deleteOld: (db: Queryable) => db.query(deleteOld),
}

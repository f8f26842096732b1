import type { RuleAction, RuleDirection } from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import { type Queryable } from '../../platform/database/database.ts'
import type { ReadDatabase } from '../../platform/database/read-database.ts'
import {
  bigint,
  boolean,
  double,
  integer,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../platform/database/sql-types.ts'
import { listStatement, statement } from '../../platform/database/statement.ts'

const violationColumns = {
  id: uuid,
  registeredUserId: uuid,
  toolCallId: uuid,
  at: timestamptz,
  direction: typed<RuleDirection>(text),
  entity: text,
  rule: text,
  action: typed<RuleAction>(text),
  count: integer,
  score: double,
  dryRun: boolean,
}
export type StoredViolation = Values<typeof violationColumns>
export type ViolationFilter = { registeredUserId: string | null; entity: string | null; since: Date | null }

const COLUMNS =
  'id, registered_user_id, tool_call_id, at, direction, entity, rule, action, count, score, dry_run'

// Newest first. Each statement has an index that ends in `id`, so that a page is read without skipping rows.
const listing = (name: string, where: string) =>
  listStatement({
    name: `rule_violations.${name}`,
    parameters: {
      organizationId: uuid,
      mode: text,
      after: nullable(uuid),
      since: nullable(timestamptz),
      limit: bigint,
      registeredUserId: nullable(uuid),
      entity: nullable(text),
    },
    columns: violationColumns,
    sql: `select ${COLUMNS} from rule_violations
     where organization_id = :organizationId and mode = :mode and (:after::uuid is null or id < :after)
       and (:since::timestamptz is null or at >= :since) and ${where} order by id desc limit :limit`,
  })
const listings = {
  all: listing('list', ':registeredUserId::uuid is null and :entity::text is null'),
  ofEntity: listing('list_of_entity', ':registeredUserId::uuid is null and entity = :entity'),
  ofUser: listing(
    'list_of_user',
    'registered_user_id = :registeredUserId and (:entity::text is null or entity = :entity)',
  ),
}

// Violations are retained as long as call records, and deleted in batches.
const deleteOld = statement({
  name: 'rule_violations.delete_old',
  sql: `delete from rule_violations where (organization_id, id) in (
     select v.organization_id, v.id from rule_violations v join admission_organizations o on o.id = v.organization_id
     where v.organization_id not in (select id from unserved_organizations)
       and v.at < app_now() - interval '90 days' and v.at < app_now() - make_interval(days => o.retention_days)
     order by v.at limit 10000)`,
})

export const ruleViolationStore = {
  list: (
    lists: ReadDatabase,
    { organizationId, mode }: { organizationId: string; mode: Mode },
    { registeredUserId, entity, since }: ViolationFilter,
    page: { after: string | null; limit: number },
  ) => {
    const from =
      registeredUserId !== null ? listings.ofUser : entity !== null ? listings.ofEntity : listings.all
    return lists.read(from, { organizationId, mode, ...page, since, registeredUserId, entity })
  },
  deleteOld: (db: Queryable) => db.query(deleteOld),
}

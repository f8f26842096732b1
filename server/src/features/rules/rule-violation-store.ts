import type { RuleAction, RuleDirection, RuleViolationSummary } from '@carabiner/contract'
import type { Mode } from '../../core/mode.ts'
import { type Queryable } from '../../platform/database/database.ts'
import { FORCE_INDEX_ORDER } from '../../platform/database/index-order.ts'
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
  connectorSlug: text,
  tool: text,
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
  'id, registered_user_id, tool_call_id, connector_slug, tool, at, direction, entity, rule, action, count, score, dry_run'

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

// The newest violations of the period. Without violations, one row has the period and no entity.
const selectSummary = listStatement({
  name: 'rule_violations.list_by_day',
  parameters: { organizationId: uuid, mode: text, days: integer, limit: bigint },
  columns: {
    firstDay: text,
    lastDay: text,
    counted: bigint,
    day: nullable(text),
    entity: nullable(text),
    violations: bigint,
    matches: bigint,
    dryRun: bigint,
  },
  sql: `select p.first_day::text as first_day, p.last_day::text as last_day, coalesce(sum(d.violations) over (), 0)::bigint as counted,
     d.day::text as day, d.entity, coalesce(d.violations, 0) as violations, coalesce(d.matches, 0) as matches,
     coalesce(d.dry_run, 0) as dry_run
   from (select today - (:days::integer - 1) as first_day, today as last_day
         from (select (app_now() at time zone 'UTC')::date as today) now) p
   left join lateral (
     select (at at time zone 'UTC')::date as day, entity, count(*) as violations, sum(count)::bigint as matches,
       count(*) filter (where dry_run) as dry_run
     from (
       select at, entity, count, dry_run from rule_violations
       where organization_id = :organizationId and mode = :mode and at >= p.first_day::timestamp at time zone 'UTC'
       order by at desc, id desc limit :limit
     ) latest group by 1, 2
   ) d on true order by d.day, d.entity`,
})

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
  /** Counts at most `limit` violations, the latest ones. */
  summarize: async (
    lists: ReadDatabase,
    { organizationId, mode }: { organizationId: string; mode: Mode },
    days: number,
    limit: number,
  ): Promise<RuleViolationSummary> => {
    const rows = await lists.readWith(FORCE_INDEX_ORDER, reads =>
      reads.read(selectSummary, { organizationId, mode, days, limit: limit + 1 }),
    )
    const [first] = rows
    if (!first) throw new Error('the summary has no period')
    return {
      first_day: first.firstDay,
      last_day: first.lastDay,
      data: rows.flatMap(({ day, entity, violations, matches, dryRun }) =>
        day === null || entity === null ? [] : [{ day, entity, violations, matches, dry_run: dryRun }],
      ),
      is_partial: first.counted > limit,
    }
  },
  deleteOld: (db: Queryable) => db.query(deleteOld),
}

import type { Queryable } from '../../platform/database/database.ts'
import { array, uuid } from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

/** Violations in the calls of the demo organization: of each blocked call, and of a few others. The IDs contain the time, because lists are in their order. */
const insertViolations = statement({
  name: 'rule_violations.insert_demo_history',
  parameters: { organizationId: uuid, users: array(uuid) },
  sql: `with drawn as (
     select registered_user_id, mode, id as tool_call_id, data ->> 'connector_slug' as connector_slug, data ->> 'tool' as tool, at,
       type = 'tool_call.blocked' as blocked, (hashtext(id::text)::bigint & 2147483647) % 100 as luck
     from call_events
     where organization_id = :organizationId and registered_user_id = any(:users) and type in ('tool_call.blocked', 'tool_call.completed')
   )
   insert into rule_violations
     (organization_id, id, registered_user_id, mode, tool_call_id, connector_slug, tool, at, direction, entity, rule, action, count, score, dry_run)
   select :organizationId, (lpad(to_hex((1000 * extract(epoch from at))::bigint), 12, '0') || '7'
       || substring(replace(gen_random_uuid()::text, '-', '') from 14))::uuid, registered_user_id, mode, tool_call_id, connector_slug, tool, at,
     case when blocked then 'inbound' else 'outbound' end, entity, lower(entity),
     case when blocked then 'block' else 'redact' end, 1 + luck % 3, 1, not blocked
   from drawn cross join lateral (select (array['EMAIL_ADDRESS', 'PHONE_NUMBER', 'CREDIT_CARD', 'IP_ADDRESS'])[1 + luck % 4] as entity) e
   where blocked or luck < 4`,
})

export const demoViolationsStore = {
  insert: (db: Queryable, history: { organizationId: string; users: string[] }) =>
    db.query(insertViolations, history),
}

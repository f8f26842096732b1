import type { Queryable } from '../../platform/database/database.ts'
import { array, uuid } from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

/** Violations of two weeks for the charts of the demo organization. The IDs contain the time, because lists are in their order. */
const insertViolations = statement({
  name: 'rule_violations.insert_demo_history',
  parameters: { organizationId: uuid, users: array(uuid) },
  sql: `with drawn as (
     select u.id as user_id, u.mode, at + (hashtext(u.id::text || at::text)::bigint & 2147483647) % 3600 * interval '1 second' as at,
       (hashtext(at::text || u.id::text)::bigint & 2147483647) % 100 as luck
     from admission_users u
     cross join generate_series(date_trunc('hour', app_now()) - interval '14 days', app_now() - interval '2 hours', interval '3 hours') at
     where u.organization_id = :organizationId and u.id = any(:users)
   )
   insert into rule_violations
     (organization_id, id, registered_user_id, mode, tool_call_id, at, direction, entity, rule, action, count, score, dry_run)
   select :organizationId, (lpad(to_hex((1000 * extract(epoch from at))::bigint), 12, '0') || '7'
       || substring(replace(gen_random_uuid()::text, '-', '') from 14))::uuid, user_id, mode, gen_random_uuid(), at,
     case when luck % 2 = 0 then 'inbound' else 'outbound' end,
     entity, lower(entity),
     case when luck % 4 = 2 then 'block' else 'redact' end, 1 + luck % 3, 1, luck % 5 = 0
   from drawn cross join lateral (select (array['EMAIL_ADDRESS', 'PHONE_NUMBER', 'CREDIT_CARD', 'IP_ADDRESS'])[1 + luck % 4] as entity) e
   where luck < 18`,
})

export const demoViolationsStore = {
  insert: (db: Queryable, history: { organizationId: string; users: string[] }) =>
    db.query(insertViolations, history),
}

import type { Database } from '../../../platform/database/database.ts'
import { array, uuid } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

/** A number from 0 to 999 that only depends on the text, so that every installation gets the same history. */
const draw = (text: string) => `(hashtext(${text})::bigint & 2147483647) % 1000`

/**
 * Records of two weeks, as if the users had called the tools of the sandbox: more on weekdays and during the day, and a few errors. Nobody has
 * connected Notes, which an agent has tried to use more often since a few hours ago, and only `connected` users have connected Vault. Times
 * are before the database was created, so the first aggregation counts them.
 */
const insertHistory = statement({
  name: 'tool_calls.insert_demo_history',
  parameters: { organizationId: uuid, toolPackId: uuid, users: array(uuid), connected: array(uuid) },
  sql: `with hours as (
     select at, u.id as user_id, u.mode, number, o.retention_days,
       u.id::text || at::text || number as seed
     from generate_series(date_trunc('hour', app_now()) - interval '14 days', app_now() - interval '2 hours', interval '1 hour') at
     cross join admission_users u
     join admission_organizations o on o.id = u.organization_id
     cross join lateral generate_series(1, case
       when extract(isodow from at) > 5 then 1 when extract(hour from at) between 7 and 18 then 5 else 1 end) number
     where u.organization_id = :organizationId and u.id = any(:users)
   ), drawn as (
     select *, ${draw("seed || 'a'")} as luck, ${draw("seed || 'b'")} as choice, ${draw("seed || 'c'")} as duration,
       at + ${draw("seed || 'd'")} * interval '3.5 seconds' as started_at
     from hours where ${draw("seed || 'e'")} < 300
   ), calls as (
     select *,
       case when choice < 20 then 'list_notes' when choice < case when at > app_now() - interval '6 hours' then 300 else 50 end
         then 'create_note' when choice < 800 then 'list_items' else 'get_account' end as tool
     from drawn where user_id = any(:connected) or choice < 150
   ), ended as (
     select *,
       case when tool in ('list_notes', 'create_note') or not user_id = any(:connected) then 'needs_auth'
         when luck < 25 then 'error' when luck < 33 then 'blocked' else 'success' end as outcome
     from calls
   )
   insert into tool_calls (organization_id, id, registered_user_id, tool_pack_id, mode, connector_slug, tool, outcome, error_code, ended_at_step, counted,
     request_id, started_at, finished_at, third_party_ms, gateway_ms, arguments_bytes, result_bytes, retention_days)
   select :organizationId, gen_random_uuid(), user_id, :toolPackId, mode,
     case when tool in ('list_notes', 'create_note') then 'sandbox-notes' else 'sandbox-vault' end, tool, outcome,
     case outcome when 'needs_auth' then 'never_linked'
       when 'error' then case when luck < 10 then 'third_party_timeout' else 'third_party_error' end
       when 'blocked' then 'security_rule_blocked' end,
     case outcome when 'needs_auth' then 'account' when 'error' then 'provider' when 'blocked' then 'security_rules' end,
     outcome = 'success' and mode = 'production', 'req_demo' || left(md5(seed), 12), started_at,
     started_at + (20 + duration * case when luck < 10 then 30 else 1 end) * interval '1 millisecond',
     case when outcome in ('success', 'error') then 15 + duration * case when luck < 10 then 30 else 1 end end,
     1.2 + luck / 400.0, 40 + choice / 4, case when outcome = 'success' then 300 + duration * 4 end, retention_days
   from ended`,
})

export const demoHistoryStore = {
  /** `connected`: the users whose calls to Vault succeed. */
  insert: (
    db: Database,
    history: { organizationId: string; toolPackId: string; users: string[]; connected: string[] },
  ) =>
    db.transaction(async tx => {
      // Compiling the statement takes seconds, running it milliseconds.
      await tx.script('set local jit = off')
      await tx.query(insertHistory, history)
    }),
}

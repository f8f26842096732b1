import { integer, nullable, timestamptz } from '../../../platform/database/sql-types.ts'
import type { CallLimit } from './call-limit.ts'

const TODAY = `(app_now() at time zone 'UTC')::date`

/** Calls of the Tool Pack today. They are counted if no call has been reserved on this day. */
const TAKEN = 'coalesce(daily_taken, pack_calls_today(organization_id, pack_id))'

/** The Tool Pack's limit per UTC day. A call without a `:slot` does not count. */
export const dailyLimit = {
  columns: {
    dailyCallLimit: {
      type: nullable(integer),
      sql: `case when u.mode = 'production' then p.daily_call_limit end`,
    },
    dailyTaken: { type: nullable(integer), sql: 'd.taken' },
    dailyResetsAt: { type: timestamptz, sql: `date_trunc('day', app_now() + interval '1 day', 'UTC')` },
  },
  joins: `left join lateral (
       select taken from pack_days where p.daily_call_limit is not null and organization_id = k.organization_id and tool_pack_id = p.id
         and day = ${TODAY} offset 0) d on true`,
  applies: 'daily_call_limit is not null',
  reserve: `pack_day as (
     insert into pack_days as d (organization_id, tool_pack_id, day, taken)
     select organization_id, pack_id, ${TODAY}, 1 + ${TAKEN}
     from found where daily_call_limit is not null and :slot::smallint is not null and ${TAKEN} < daily_call_limit
     on conflict (organization_id, tool_pack_id, day)
       do update set taken = d.taken + 1 where d.taken < (select daily_call_limit from found)
     returning d.day, d.taken
   )`,
  reserved: { pack_day: '(select day from pack_day)' },
  results: {
    /** Calls that the limit still allows today, including this one. */
    dailyLeft: {
      type: nullable(integer),
      reserved: `case when daily_call_limit is not null then coalesce((select f.daily_call_limit - taken + 1 from pack_day), 0) end`,
      foreseen: `case when daily_call_limit is not null then greatest(daily_call_limit - ${TAKEN}, 0) end`,
    },
  },
  counter: { table: 'pack_days', keys: { tool_pack_id: 'tool_pack_id', day: 'pack_day' } },
  recount: `
     update pack_days d set taken = d.taken + 1 from record r
     where r.counted and d.organization_id = :organizationId and d.tool_pack_id = :toolPackId
       and d.day = (r.started_at at time zone 'UTC')::date`,
} satisfies CallLimit

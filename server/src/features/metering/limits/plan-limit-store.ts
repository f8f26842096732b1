import { date, nullable, smallint } from '../../../platform/database/sql-types.ts'
import type { CallLimit } from './call-limit.ts'

/** The plan's limit per billing cycle. `:slot` is the slot to reserve from; a call that finds it empty takes from others later. */
export const planLimit = {
  columns: {
    /** The billing cycle of the limit; null without a limit. */
    cycle: {
      type: nullable(date),
      sql: `case when o.call_limit is not null and u.mode = 'production' then cycle_of(o.cycle_day, app_now()) end`,
    },
  },
  applies: 'cycle is not null',
  reserve: `place as (
     update plan_allowances s set taken = s.taken + 1 from found f
     where s.organization_id = f.organization_id and s.cycle = f.cycle and s.slot = :slot and s.taken < s.granted
     returning s.slot
   )`,
  reserved: { cycle: 'cycle', slot: '(select slot from place)' },
  results: {
    /** Where the call is reserved in that cycle; null if the slot was empty. */
    slot: { type: nullable(smallint), reserved: '(select slot from place)', foreseen: 'null::smallint' },
  },
  explained: `o.call_limit,
       case when o.call_limit is not null and u.mode = 'production'
         then remaining_allowance(o.id, cycle_of(o.cycle_day, app_now()), o.call_limit) end as plan_left,
       cycle_of(o.cycle_day, (cycle_of(o.cycle_day, app_now())::timestamp at time zone 'UTC') + interval '1 month 3 days')::timestamp
         at time zone 'UTC' as cycle_ends_at`,
  counter: { table: 'plan_allowances', keys: { cycle: 'cycle', slot: 'slot' } },
  recount: `
     update plan_allowances s set taken = s.taken + 1 from record r cross join organizations o
     where r.counted and o.id = :organizationId and s.organization_id = :organizationId and s.slot = :slot
       and s.cycle = cycle_of(o.cycle_day, r.started_at)`,
} satisfies CallLimit

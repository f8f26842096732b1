import { one, type Queryable } from '../../../platform/database/database.ts'
import { boolean, smallint, uuid } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

const takeAllowance = statement({
  name: 'metering.reserve_call',
  parameters: { organizationId: uuid, callId: uuid, slot: smallint },
  columns: { taken: boolean },
  sql: 'select reserve_call(:organizationId, :callId, :slot::smallint) as taken',
})
const deleteOldCycles = statement({
  name: 'plan_allowances.delete_old',
  sql: `delete from plan_allowances where cycle < (app_now() at time zone 'UTC')::date - 400
   and organization_id not in (select id from unserved_organizations)`,
})
const deleteOldDays = statement({
  name: 'pack_days.delete_old',
  sql: `delete from pack_days where day < (app_now() at time zone 'UTC')::date - 1
   and organization_id not in (select id from unserved_organizations)`,
})
const deleteEmptyBuckets = statement({
  name: 'rate_buckets.delete_full',
  sql: `delete from rate_buckets where free_at < app_now() and organization_id not in (select id from unserved_organizations)`,
})

export const allowanceStore = {
  takeAllowance: async (
    db: Queryable,
    organizationId: string,
    callId: string,
    slot: number,
  ): Promise<boolean> => (await one(db, takeAllowance, { organizationId, callId, slot }))?.taken ?? false,
  /** Deletes expired cycles, past days and empty rate buckets; a missing bucket is equivalent to an empty one. */
  deleteExpired: async (db: Queryable): Promise<void> => {
    await db.query(deleteOldCycles)
    await db.query(deleteOldDays)
    await db.query(deleteEmptyBuckets)
  },
}

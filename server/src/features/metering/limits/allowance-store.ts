import { one, type Queryable, statement } from '../../../platform/database/database.ts'

const takeAllowance = statement<{ taken: boolean }>(
  'metering.take_place',
  'select take_place($1, $2, $3::smallint) as taken',
)
const deleteOldCycles = statement<never>(
  'metering.forget_cycles',
  `delete from plan_allowances where cycle < (app_now() at time zone 'UTC')::date - 400`,
)
const deleteEmptyBuckets = statement<never>(
  'metering.forget_buckets',
  'delete from rate_buckets where free_at < app_now()',
)

export const allowanceStore = {
  takeAllowance: async (
    db: Queryable,
    organizationId: string,
    callId: string,
    slot: number,
  ): Promise<boolean> => (await one(db, takeAllowance, [organizationId, callId, slot]))?.taken ?? false,
  /** Deletes expired cycles and empty rate buckets; a missing bucket is equivalent to an empty one. */
  deleteExpired: async (db: Queryable): Promise<void> => {
    await db.query(deleteOldCycles)
    await db.query(deleteEmptyBuckets)
  },
}

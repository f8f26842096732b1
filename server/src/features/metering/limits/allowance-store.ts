import { one, type Queryable, statement } from '../../../platform/database/database.ts'

const takePlace = statement<{ taken: boolean }>(
  'metering.take_place',
  'select take_place($1, $2, $3::smallint) as taken',
)
const forgetCycles = statement<never>(
  'metering.forget_cycles',
  `delete from plan_allowances where cycle < (app_now() at time zone 'UTC')::date - 400`,
)
const forgetBuckets = statement<never>(
  'metering.forget_buckets',
  'delete from rate_buckets where free_at < app_now()',
)

export const allowanceStore = {
  takePlace: async (db: Queryable, organizationId: string, callId: string, slot: number): Promise<boolean> =>
    (await one(db, takePlace, [organizationId, callId, slot]))?.taken ?? false,
  /** A bucket that is empty says as much as none. */
  forget: async (db: Queryable): Promise<void> => {
    await db.query(forgetCycles)
    await db.query(forgetBuckets)
  },
}

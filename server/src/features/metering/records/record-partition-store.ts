import { type Queryable, statement } from '../../../platform/database/database.ts'

const make = statement<never>('metering.make_record_parts', 'select make_record_parts()')
const drop = statement<{ part: string }>('metering.drop_record_parts', 'select drop_record_parts() as part')

export const recordPartsStore = {
  /**
   * Creates partitions ahead of time, so that every record has one, and drops those past the retention of every plan.
   * Returns the dropped ones.
   */
  rotatePartitions: async (db: Queryable): Promise<string[]> => {
    await db.query(make)
    return (await db.query(drop)).map(({ part }) => part)
  },
}

import { type Queryable } from '../../../platform/database/database.ts'
import { text } from '../../../platform/database/sql-types.ts'
import { statement } from '../../../platform/database/statement.ts'

const make = statement({
  name: 'metering.create_record_partitions',
  sql: 'select create_record_partitions()',
})
const drop = statement({
  name: 'metering.drop_record_partitions',
  columns: { part: text },
  sql: 'select drop_record_partitions() as part',
})

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

import { type Queryable, statement } from '../../../platform/database/database.ts'

const make = statement<never>('metering.make_record_parts', 'select make_record_parts()')
const drop = statement<{ part: string }>('metering.drop_record_parts', 'select drop_record_parts() as part')

export const recordPartsStore = {
  /** Ahead of time, so that records always have a part to go to; and away with what no plan keeps any longer. */
  turnOver: async (db: Queryable): Promise<string[]> => {
    await db.query(make)
    return (await db.query(drop)).map(({ part }) => part)
  },
}

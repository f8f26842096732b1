import { one, type Queryable } from '../database/database.ts'
import { boolean } from '../database/sql-types.ts'
import { statement } from '../database/statement.ts'

const findTables = statement({
  name: 'queue.find_tables',
  columns: { found: boolean },
  sql: `select to_regclass('pgboss.version') is not null as found`,
})

export const queueStore = {
  /** Whether the tables of pg-boss exist. */
  isInstalled: async (db: Queryable): Promise<boolean> => (await one(db, findTables))?.found ?? false,
}

import { one, type Queryable } from '../database/database.ts'
import { boolean, text } from '../database/sql-types.ts'
import { statement } from '../database/statement.ts'

const findTables = statement({
  name: 'queue.find_tables',
  columns: { found: boolean },
  sql: `select to_regclass('pgboss.version') is not null as found`,
})
const recordRun = statement({
  name: 'queue.record_run',
  parameters: { name: text, succeeded: boolean },
  sql: `insert into job_runs (name, ended_at, succeeded_at) values (:name, app_now(), case when :succeeded then app_now() end)
   on conflict (name) do update set ended_at = excluded.ended_at, succeeded_at = coalesce(excluded.succeeded_at, job_runs.succeeded_at)`,
})

export const queueStore = {
  /** Whether the tables of pg-boss exist. */
  isInstalled: async (db: Queryable): Promise<boolean> => (await one(db, findTables))?.found ?? false,
  recordRun: (db: Queryable, name: string, succeeded: boolean) => db.query(recordRun, { name, succeeded }),
}

import { type Database, one, type Queryable } from '../../platform/database/database.ts'
import {
  array,
  bigint,
  boolean,
  bytea,
  integer,
  nullable,
  text,
  timestamptz,
  type Values,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

const selectColumns = statement({
  name: 'backups.columns',
  columns: { table: text, names: array(text) },
  sql: 'select table_name as table, array_agg(name order by position) as names from own_columns group by table_name',
})
const openTable = statement({
  name: 'backups.open_table',
  parameters: { table: text },
  sql: 'select open_table(:table)',
})
const fetchRows = statement({
  name: 'backups.fetch_rows',
  parameters: { limit: integer, bytes: integer },
  columns: { line: text },
  sql: 'select line from fetch_table_rows(:limit, :bytes) as line',
})
const closeTable = statement({ name: 'backups.close_table', sql: 'select close_table()' })
const insertRows = statement({
  name: 'backups.insert_rows',
  parameters: {
    table: text,
    columns: array(text),
    rows: text,
  },
  sql: 'select insert_table_rows(:table, :columns, :rows::text::jsonb)',
})
const selectFilled = statement({
  name: 'backups.filled_tables',
  parameters: { tables: array(text) },
  columns: { name: text },
  sql: 'select name from filled_tables(:tables) as name',
})
const clearTable = statement({
  name: 'backups.clear_table',
  parameters: { table: text },
  sql: 'select clear_table(:table)',
})
const continueIdentities = statement({
  name: 'backups.continue_identities',
  sql: 'select continue_identities()',
})
// Events that the backup had not turned into deliveries are delivered.
const resumeEvents = statement({
  name: 'backups.resume_events',
  sql: 'select resume_events(organization_id) from event_positions',
})
// Only the service has connections with this name.
const countServices = statement({
  name: 'backups.running_services',
  columns: { count: bigint },
  sql: `select count(*) from pg_stat_activity where datname = current_database() and application_name = 'carabiner jobs'`,
})

const restoreColumns = {
  backupId: bytea,
  nextChunk: integer,
  verifiedAt: nullable(timestamptz),
}
export type StartedRestore = Values<typeof restoreColumns>
const RESTORE = 'backup_id, next_chunk, verified_at'

const findRestore = statement({
  name: 'restores.find',
  columns: restoreColumns,
  sql: `select ${RESTORE} from restores`,
})
// Two restores that start at the same time take turns, also if there is no row yet.
const lockRestores = statement({
  name: 'restores.lock',
  sql: 'lock table restores in share row exclusive mode',
})
const startRestore = statement({
  name: 'restores.start',
  parameters: { backupId: bytea },
  columns: restoreColumns,
  sql: `insert into restores (backup_id) values (:backupId) returning ${RESTORE}`,
})
// The condition on the chunk lets only one of two concurrent restores apply it.
const advanceRestore = statement({
  name: 'restores.advance',
  parameters: { backupId: bytea, chunk: integer },
  columns: { advanced: boolean },
  sql: `update restores set next_chunk = :chunk + 1 where backup_id = :backupId and next_chunk = :chunk returning true as advanced`,
})
const markVerified = statement({
  name: 'restores.mark_verified',
  sql: 'update restores set verified_at = app_now()',
})
const endRestore = statement({ name: 'restores.end', sql: 'delete from restores' })

export type InsertedRows = { table: string; columns: string[]; lines: string[] }

/** All rows of any table. */
export const tableRowsStore = {
  /** The columns of each table. */
  columns: async (db: Queryable): Promise<Map<string, string[]>> =>
    new Map((await db.query(selectColumns)).map(({ table, names }) => [table, names])),
  /** Until `close` or the end of the transaction, `fetch` returns the next rows of this table. */
  open: (tx: Queryable, table: string) => tx.query(openTable, { table }),
  fetch: async (tx: Queryable, limits: { limit: number; bytes: number }): Promise<string[]> =>
    (await tx.query(fetchRows, limits)).map(({ line }) => line),
  close: (tx: Queryable) => tx.query(closeTable),
  insert: (tx: Queryable, { table, columns, lines }: InsertedRows) =>
    tx.query(insertRows, { table, columns, rows: `[${lines.join(',')}]` }),
  /** Those of the tables that have rows. */
  filled: async (db: Queryable, tables: string[]): Promise<string[]> =>
    (await db.query(selectFilled, { tables })).map(({ name }) => name),
  clear: (tx: Queryable, table: string) => tx.query(clearTable, { table }),
  resumeEvents: (tx: Queryable) => tx.query(resumeEvents),
  continueIdentities: (tx: Queryable) => tx.query(continueIdentities),
  /** Without statistics, the planner would choose plans for empty tables. */
  updateStatistics: (db: Database) => db.script('analyze'),
}

/** The progress of a restore. */
export const restoreStore = {
  find: (db: Queryable) => one(db, findRestore),
  lock: async (tx: Queryable) => {
    await tx.query(lockRestores)
    return one(tx, findRestore)
  },
  start: (tx: Queryable, backupId: Buffer) => one(tx, startRestore, { backupId }) as Promise<StartedRestore>,
  /** Returns false if another restore has applied the chunk. */
  advance: async (tx: Queryable, backupId: Buffer, chunk: number): Promise<boolean> =>
    (await one(tx, advanceRestore, { backupId, chunk })) !== null,
  markVerified: (tx: Queryable) => tx.query(markVerified),
  end: (tx: Queryable) => tx.query(endRestore),
  isServiceRunning: async (db: Queryable): Promise<boolean> =>
    ((await one(db, countServices))?.count ?? 0) > 0,
}

import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { setTimeout as delay } from 'node:timers/promises'
import { type Database, one, type Queryable, type Transaction } from './database.ts'
import {
  findLongTransactions,
  isLockFailure,
  LOCK_PAUSE_MS,
  LOCK_TIMEOUT_MS,
  type MigrationProgress,
  OTHER_PROCESS_PAUSE_MS,
  tryLockMigrations,
} from './migration-locks.ts'
import { boolean, integer, text, type Values } from './sql-types.ts'
import { statement } from './statement.ts'

const FOLDER = join(import.meta.dirname, '../../../migrations')

export type Migration = { version: number; name: string; sql: string; checksum: string; breaking: boolean }

const appliedColumns = {
  version: integer,
  name: text,
  checksum: text,
  breaking: boolean,
}
type AppliedRow = Values<typeof appliedColumns>

const findTable = statement({
  name: 'migrate.find_table',
  columns: { found: boolean },
  sql: `select to_regclass('schema_migrations') is not null as found`,
})
const selectApplied = statement({
  name: 'migrate.applied',
  columns: appliedColumns,
  sql: 'select version, name, checksum, breaking from schema_migrations order by version',
})
const insertApplied = statement({
  name: 'migrate.insert',
  parameters: appliedColumns,
  sql: 'insert into schema_migrations (version, name, checksum, breaking) values (:version, :name, :checksum, :breaking)',
})
const CREATE_TABLE = `create table schema_migrations (
  version integer primary key,
  name text not null,
  checksum text not null,
  breaking boolean not null,
  applied_at timestamptz not null default now()
)`

export class MigrationError extends Error {
  override name = 'MigrationError'
}

/** `-- breaking` in the first line of a file: earlier versions of the service must not run after this migration. */
export const loadMigrations = async (folder = FOLDER): Promise<Migration[]> => {
  const names = (await readdir(folder)).filter(name => /^\d{4}_.+\.sql$/.test(name)).toSorted()
  return Promise.all(
    names.map(async name => {
      const sql = await readFile(join(folder, name), 'utf8')
      return {
        version: Number(name.slice(0, 4)),
        name,
        sql,
        checksum: hash('sha256', sql),
        breaking: /^-- breaking\b/.test(sql),
      }
    }),
  )
}

/** Returns the pending migrations, or throws if the database and this version are incompatible. */
export const planMigrations = (known: Migration[], applied: AppliedRow[]): Migration[] => {
  for (const row of applied) {
    const own = known.find(migration => migration.version === row.version)
    if (own && own.checksum !== row.checksum) {
      throw new MigrationError(
        `Migration ${own.name} was changed after it was applied. Restore the file and add a new migration instead.`,
      )
    }
    if (!own && row.breaking) {
      throw new MigrationError(
        `The database is newer than this version of Carabiner (${row.name}). Run the newer version.`,
      )
    }
  }
  const done = new Set(applied.map(row => row.version))
  return known.filter(migration => !done.has(migration.version))
}

export type MigrateOptions = {
  /** Otherwise pending migrations are an error. */
  apply: boolean
  folder?: string
  onProgress?: (progress: MigrationProgress) => void
  lockTimeoutMs?: number
  pauseMs?: number
}

/** Applies each migration in its own transaction, and returns the names of those that this process has applied. */
export const migrate = async (db: Database, options: MigrateOptions): Promise<string[]> => {
  const { onProgress = () => undefined, lockTimeoutMs = LOCK_TIMEOUT_MS, pauseMs = LOCK_PAUSE_MS } = options
  const known = await loadMigrations(options.folder)
  const pending = await findPending(db, known)
  let [next] = pending
  if (!next) return []
  if (!options.apply) throw pendingError(pending)
  const longTransactions = () => findLongTransactions(db, lockTimeoutMs)
  const transactions = await longTransactions()
  if (transactions.length > 0) onProgress({ step: 'long_transactions', name: next.name, transactions })
  const applied: string[] = []
  let isWaiting = false
  while (next) {
    const result = await applyNext(db, known, lockTimeoutMs)
    if (result === 'blocked') {
      onProgress({ step: 'blocked', name: next.name, transactions: await longTransactions() })
      await delay(pauseMs)
    } else if (result === 'waiting') {
      if (!isWaiting) onProgress({ step: 'waiting' })
      isWaiting = true
      await delay(OTHER_PROCESS_PAUSE_MS)
    } else {
      if (result.applied !== null) {
        applied.push(result.applied)
        onProgress({ step: 'applied', name: result.applied })
      }
      next = result.next
    }
  }
  return applied
}

type Applied = { applied: string | null; next: Migration | undefined }

/** Applies the first pending migration, unless another process is migrating or a table is in use. */
const applyNext = (
  db: Database,
  known: Migration[],
  lockTimeoutMs: number,
): Promise<Applied | 'waiting' | 'blocked'> =>
  db
    .transaction(async tx => {
      const lock = await one(tx, tryLockMigrations)
      if (!lock?.locked) return 'waiting'
      const [migration, next] = planMigrations(known, await readApplied(tx))
      if (!migration) return { applied: null, next: undefined }
      await tx.script(`set local lock_timeout = ${lockTimeoutMs}; ${migration.sql}`)
      await tx.query(insertApplied, migration)
      return { applied: migration.name, next }
    })
    .catch((error: unknown) => {
      if (isLockFailure(error)) return 'blocked'
      throw error
    })

const findPending = async (db: Queryable, known: Migration[]): Promise<Migration[]> =>
  planMigrations(known, await selectAppliedIfAny(db))

const selectAppliedIfAny = async (db: Queryable): Promise<AppliedRow[]> => {
  const [table] = await db.query(findTable)
  return table?.found ? db.query(selectApplied) : []
}

const pendingError = (pending: Migration[]): MigrationError =>
  new MigrationError(
    `${pending.length} migrations are pending: ${pending.map(({ name }) => name).join(', ')}. Start once without --no-migrate.`,
  )

/** Throws if the database lacks a migration, or has one that this version cannot run with. */
export const checkMigrations = async (db: Queryable, known: Migration[]): Promise<void> => {
  const pending = planMigrations(known, await db.query(selectApplied))
  if (pending.length > 0) throw new MigrationError(`${pending.length} migrations are pending.`)
}

export type MigrationState = { applied: string[]; pending: string[] }

/** Changes nothing. Throws if the database and this version are incompatible. */
export const readMigrations = async (db: Queryable): Promise<MigrationState> => {
  const applied = await selectAppliedIfAny(db)
  const pending = planMigrations(await loadMigrations(), applied)
  return { applied: applied.map(({ name }) => name), pending: pending.map(({ name }) => name) }
}

export type SchemaVersion = { version: number; name: string; checksum: string }

/** The newest migration of the database, and a hash of all migrations. */
export const readSchemaVersion = async (db: Queryable): Promise<SchemaVersion> =>
  schemaVersionOf(await db.query(selectApplied))

/** The schema of a database that this version of Carabiner has migrated. */
export const knownSchemaVersion = async (): Promise<SchemaVersion> => schemaVersionOf(await loadMigrations())

const schemaVersionOf = (applied: Pick<AppliedRow, 'version' | 'name' | 'checksum'>[]): SchemaVersion => {
  const newest = applied.at(-1)
  if (!newest) throw new Error('the database has no schema')
  const checksum = hash('sha256', applied.map(row => `${row.version} ${row.checksum}\n`).join(''))
  return { version: newest.version, name: newest.name, checksum }
}

const readApplied = async (tx: Transaction): Promise<AppliedRow[]> => {
  const [table] = await tx.query(findTable)
  if (table?.found) return tx.query(selectApplied)
  await tx.script(CREATE_TABLE)
  return []
}

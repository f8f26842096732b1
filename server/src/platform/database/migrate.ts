import { hash } from 'node:crypto'
import { readdir, readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Database, Queryable, Transaction } from './database.ts'
import { boolean, integer, text, type Values } from './sql-types.ts'
import { statement } from './statement.ts'

const FOLDER = join(import.meta.dirname, '../../../migrations')
/** An arbitrary lock number. One node migrates while the others wait. */
const ADVISORY_LOCK = 4_207_001

export type Migration = { version: number; name: string; sql: string; checksum: string; breaking: boolean }

const appliedColumns = {
  version: integer,
  name: text,
  checksum: text,
  breaking: boolean,
}
type AppliedRow = Values<typeof appliedColumns>

const lockMigrations = statement({
  name: 'migrate.lock',
  sql: `select pg_advisory_xact_lock(${ADVISORY_LOCK})`,
})
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

export const migrate = async (
  db: Database,
  options: { apply: boolean; folder?: string },
): Promise<string[]> => {
  const known = await loadMigrations(options.folder)
  return db.transaction(async tx => {
    await tx.query(lockMigrations)
    const pending = planMigrations(known, await readApplied(tx))
    if (pending.length > 0 && !options.apply) {
      throw new MigrationError(
        `${pending.length} migrations are pending: ${pending.map(m => m.name).join(', ')}. Start once without --no-migrate.`,
      )
    }
    for (const migration of pending) {
      await tx.script(migration.sql)
      await tx.query(insertApplied, migration)
    }
    return pending.map(migration => migration.name)
  })
}

/** Throws if the database lacks a migration, or has one that this version cannot run with. */
export const checkMigrations = async (db: Queryable, known: Migration[]): Promise<void> => {
  const pending = planMigrations(known, await db.query(selectApplied))
  if (pending.length > 0) throw new MigrationError(`${pending.length} migrations are pending.`)
}

export type MigrationState = { applied: string[]; pending: string[] }

/** Changes nothing. Throws if the database and this version are incompatible. */
export const readMigrations = async (db: Queryable): Promise<MigrationState> => {
  const [table] = await db.query(findTable)
  const applied = table?.found ? await db.query(selectApplied) : []
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

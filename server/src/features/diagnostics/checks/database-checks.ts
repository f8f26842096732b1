import { SECOND } from '../../../core/duration.ts'
import type { Config } from '../../../platform/config.ts'
import { type Database, ping } from '../../../platform/database/database.ts'
import { readMigrations } from '../../../platform/database/migrate.ts'
import { TRANSACTION_POOLING } from '../../../platform/database/open-database.ts'
import { detectTransactionPooling } from '../../../platform/database/postgres/transaction-pooling.ts'
import { requireNoUnfinishedRestore } from '../../backups/unfinished-restore.ts'
import { diagnosticsStore } from './diagnostics-store.ts'
import { type Check, type DoctorContext, databaseCheck, ok, problem, skipped } from './finding.ts'

const MIN_VERSION = 150_000
const MAX_LATENCY_MS = 20
const LATENCY_SAMPLES = 15
const MAX_CLOCK_DIFFERENCE_MS = 2 * SECOND

export const connectionCheck: Check = {
  name: 'database',
  run: async ({ db, config }) => {
    if (typeof db === 'string') return skipped(db)
    if (!(db instanceof Error))
      return ok(db.engine === 'pglite' ? `the embedded database in ${config.dataDirectory}` : 'connected')
    return problem(
      `The database cannot be opened: ${db.message}`,
      config.databaseUrl
        ? 'Check that PostgreSQL is running, and check host, port, user, password and database name in DATABASE_URL.'
        : 'Check DATA_DIRECTORY.',
    )
  },
}

export const versionCheck = databaseCheck('database version', async db => {
  const { version, versionNumber, isReplica } = await diagnosticsStore.server(db)
  if (versionNumber < MIN_VERSION)
    return problem(`PostgreSQL ${version}`, 'Update PostgreSQL to version 15 or newer.')
  if (isReplica)
    return problem(
      'DATABASE_URL leads to a replica, which cannot be written.',
      'Set DATABASE_URL to the primary, and DATABASE_REPLICA_URL to the replica.',
    )
  return ok(`PostgreSQL ${version}`)
})

/** Values that lose or corrupt data after a crash. */
const UNSAFE: Record<string, { values: string[]; effect: string }> = {
  fsync: { values: ['off'], effect: 'a crash can corrupt the whole database' },
  full_page_writes: { values: ['off'], effect: 'a crash can corrupt the whole database' },
  synchronous_commit: { values: ['off'], effect: 'a crash can undo deletions and used codes' },
  autovacuum: { values: ['off'], effect: 'tables grow without bound' },
}

export const settingsCheck = databaseCheck('database settings', async (db, { config }) => {
  if (db.engine === 'pglite') return ok('set by the embedded database')
  const settings = await diagnosticsStore.settings(db, [
    ...Object.keys(UNSAFE),
    'max_connections',
    'server_encoding',
  ])
  const problems = Object.entries(UNSAFE).flatMap(([name, { values, effect }]) =>
    values.includes(settings.get(name) ?? '')
      ? [
          problem(
            `${name} is ${settings.get(name)}: ${effect}.`,
            `alter system set ${name} = on; select pg_reload_conf();`,
          ),
        ]
      : [],
  )
  const needed = connectionsOf(config)
  const allowed = Number(settings.get('max_connections'))
  if (allowed < needed)
    problems.push(
      problem(
        `max_connections is ${allowed}, and one node with these settings uses up to ${needed}.`,
        'Increase max_connections in PostgreSQL, or reduce DATABASE_POOL_SIZE or PROCESSES.',
      ),
    )
  if (settings.get('server_encoding') !== 'UTF8')
    problems.push(
      problem(
        `The encoding of the database is ${settings.get('server_encoding')}.`,
        'Create the database with encoding UTF8, and restore a backup into it.',
      ),
    )
  return problems.length > 0 ? problems : ok(`max_connections ${allowed}; up to ${needed} for this node`)
})

const connectionsOf = ({ processes, databasePoolSize }: Config): number =>
  processes * (databasePoolSize + 2) + 2

export const poolingCheck = databaseCheck<DoctorContext>('connection pooling', async (db, context) => {
  const { config, openDirect, openPooled } = context
  if (db.engine === 'pglite') return ok('not used')
  await using other = disposable(await openDirect())
  const isDirect = !(await detectTransactionPooling(db, other))
  if (!config.databaseDirectUrl)
    return isDirect
      ? ok('each connection keeps its server process')
      : problem(TRANSACTION_POOLING.found, TRANSACTION_POOLING.fix)
  if (!isDirect)
    return problem(
      'DATABASE_DIRECT_URL leads to a connection pooler.',
      'Set DATABASE_DIRECT_URL to PostgreSQL itself, and DATABASE_URL to the pooler.',
    )
  return checkPooler(openPooled)
})

const disposable = (db: Database): Database & AsyncDisposable => ({
  ...db,
  [Symbol.asyncDispose]: () => db.close(),
})

const checkPooler = async (openPooled: DoctorContext['openPooled']) => {
  try {
    await using pooled = disposable(await openPooled())
    const dateStyle = (await diagnosticsStore.settings(pooled, ['DateStyle'])).get('DateStyle') ?? ''
    return dateStyle.startsWith('ISO')
      ? ok('the pooler at DATABASE_URL responds')
      : problem(
          `The pooler at DATABASE_URL drops the parameter DateStyle of its connections, and the database has ${dateStyle}.`,
          `alter role … set datestyle = 'ISO', for the role that the pooler uses, and restart the pooler.`,
        )
  } catch (error) {
    return problem(
      `The pooler at DATABASE_URL cannot be used: ${(error as Error).message}`,
      'Check that the pooler is running, and check host, port, user, password and database name in DATABASE_URL.',
    )
  }
}

export const latencyCheck = databaseCheck('database latency', async db => {
  const times: number[] = []
  for (let sample = 0; sample < LATENCY_SAMPLES; sample++) {
    const startedAt = performance.now()
    await db.query(ping)
    times.push(performance.now() - startedAt)
  }
  const median = times.toSorted((a, b) => a - b)[LATENCY_SAMPLES >> 1] as number
  const found = `${median.toFixed(1)} ms for a statement (median)`
  return median <= MAX_LATENCY_MS
    ? ok(found)
    : problem(
        found,
        'Run the service near its database, in the same data center: each call waits for several statements.',
      )
})

export const clockCheck = databaseCheck('clock', async db => {
  const before = Date.now()
  const theirs = await diagnosticsStore.clock(db)
  const after = Date.now()
  const difference = differenceOf(theirs.getTime(), before, after)
  return difference <= MAX_CLOCK_DIFFERENCE_MS
    ? ok('the clocks of this machine and of the database agree')
    : problem(
        `The database clock differs from the clock of this machine by about ${Math.round(difference / SECOND)} seconds.`,
        'Synchronize both clocks with NTP (timedatectl set-ntp true). The database clock decides when things expire.',
      )
})

/** How far a time is outside of the interval in which it was read. */
export const differenceOf = (time: number, before: number, after: number): number =>
  Math.max(0, before - time, time - after)

export const migrationsCheck = databaseCheck('migrations', async db => {
  const { applied, pending } = await readMigrations(db)
  if (pending.length > 0)
    return problem(
      `${pending.length} migrations are pending: ${pending.join(', ')}.`,
      'Back up the database, then run `carabiner migrate`, or start the service without --no-migrate.',
    )
  await requireNoUnfinishedRestore(db)
  return ok(`${applied.length} applied, none pending`)
})

/** Whether the tables of the service exist. */
export const isMigrated = async (db: Database): Promise<boolean> =>
  (await readMigrations(db)).pending.length === 0

import type { Config } from '../config.ts'
import type { Log } from '../log.ts'
import type { Database } from './database.ts'
import { migrate } from './migrate.ts'
import { describeMigrationProgress, type MigrationProgress } from './migration-locks.ts'
import type { Replica } from './postgres/replica.ts'
import { readPrimary } from './read-database.ts'

/** Each engine is loaded only if it is used, which saves startup time and memory. */
export const openDatabase = async (config: Config, log: Log): Promise<Database> => {
  if (!config.databaseUrl) {
    const { openPglite } = await import('./embedded/pglite.ts')
    return openPglite(config.dataDirectory)
  }
  const { openPostgres } = await import('./postgres/postgres.ts')
  return openPostgres({
    url: config.databaseUrl,
    directUrl: config.databaseDirectUrl,
    preparedStatements: config.databasePreparedStatements,
    poolSize: config.databasePoolSize,
    timeoutMs: config.databaseTimeoutMs,
    asyncCommit: config.admissionCommit === 'async',
    onIdleError: error => log.warn({ error }, 'database connection lost'),
  })
}

export const TRANSACTION_POOLING = {
  found: 'A connection pooler assigns transactions of one connection to different server processes.',
  fix: 'Set DATABASE_DIRECT_URL to PostgreSQL itself (docs/operate/databases.md), or configure the pooler for session pooling: pool_mode = session in PgBouncer.',
}

export class TransactionPooling extends Error {
  override name = 'TransactionPooling'

  constructor() {
    super(`DATABASE_URL: ${TRANSACTION_POOLING.found} ${TRANSACTION_POOLING.fix}`)
  }
}

/** Behind a transaction pooler, named statements and notifications would fail at random. */
export const refuseTransactionPooling = async (config: Config, log: Log): Promise<void> => {
  if (!config.databaseUrl || config.databaseDirectUrl) return
  const single = {
    ...config,
    // As if it were a pooler, so that no setting of these connections remains in its sessions.
    databaseDirectUrl: config.databaseUrl,
    databasePoolSize: 1,
    databasePreparedStatements: false,
  }
  await using opened = new AsyncDisposableStack()
  const open = async (): Promise<Database> => {
    const db = await openDatabase(single, log)
    opened.defer(() => db.close())
    return db
  }
  const [db, other] = await Promise.all([open(), open()])
  const { detectTransactionPooling } = await import('./postgres/transaction-pooling.ts')
  if (await detectTransactionPooling(db, other)) throw new TransactionPooling()
}

/** The database without a pooler: for migrations and the command line, whose transactions may take long. */
export const openDirectDatabase = (config: Config, log: Log): Promise<Database> =>
  openDatabase(
    config.databaseDirectUrl
      ? {
          ...config,
          databaseUrl: config.databaseDirectUrl,
          databaseDirectUrl: undefined,
          databasePreparedStatements: true,
        }
      : config,
    log,
  )

export const applyMigrations = async (
  config: Config,
  { db, log, apply }: { db: Database; log: Log; apply: boolean },
): Promise<void> => {
  const direct = config.databaseDirectUrl ? await openDirectDatabase(config, log) : null
  const onProgress = (progress: MigrationProgress): void => {
    if (progress.step !== 'applied') log.warn(describeMigrationProgress(progress))
  }
  const migrating = migrate(direct ?? db, { apply, onProgress })
  await Promise.allSettled([migrating])
  await direct?.close()
  const applied = await migrating
  if (applied.length > 0) log.info({ count: applied.length }, 'migrations applied')
}

/** The replica for lists, if there is one. */
export const openLists = async (config: Config, db: Database, log: Log): Promise<Replica> => {
  if (!config.databaseReplicaUrl) return { ...readPrimary(db), close: async () => undefined }
  const { openReplica } = await import('./postgres/replica.ts')
  return openReplica({
    url: config.databaseReplicaUrl,
    primary: db,
    log,
    timeoutMs: config.databaseTimeoutMs,
    maxLagMs: config.databaseReplicaMaxLagMs,
  })
}

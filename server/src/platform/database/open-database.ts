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

import type { CliContext, Output } from '@carabiner/cli'
import {
  type Config,
  createLog,
  type Database,
  describeMigrationProgress,
  type MigrationProgress,
  migrate,
  openDirectDatabase,
  openVaultFor,
  readConfig,
  requireNoUnfinishedRestore,
  type Vault,
} from '@carabiner/server/operator'

export const withDatabase = async (
  config: Config,
  work: (db: Database) => Promise<Output>,
): Promise<Output> => {
  const db = await openDirectDatabase(config, createLog('silent'))
  try {
    return await work(db)
  } finally {
    await db.close()
  }
}

/** A command that waits for a migration must not look as if it hung. */
const reportWaiting = (progress: MigrationProgress): void => {
  if (progress.step !== 'applied') process.stderr.write(`${describeMigrationProgress(progress)}\n`)
}

export const withMigrated = (config: Config, work: (db: Database) => Promise<Output>): Promise<Output> =>
  withDatabase(config, async db => {
    await migrate(db, { apply: config.migrate, onProgress: reportWaiting })
    await requireNoUnfinishedRestore(db)
    return work(db)
  })

/** A statement that reads or writes thousands of rows takes longer than one of a request. */
const MIN_TIMEOUT_MS = 60_000

export const withLongStatements = (config: Config): Config => ({
  ...config,
  databaseTimeoutMs: Math.max(config.databaseTimeoutMs, MIN_TIMEOUT_MS),
})

/** The database and the keys of an installation. */
export type ServiceContext = { config: Config; db: Database; vault: Vault }

/** Runs a command with the settings of the environment, a migrated database and the vault key. */
export const withService = (
  { environment }: Pick<CliContext, 'environment'>,
  work: (context: ServiceContext) => Promise<Output>,
): Promise<Output> => {
  const config = readConfig(environment)
  return withMigrated(config, async db => work({ config, db, vault: await openVaultFor(config, db) }))
}

export const applyMigrations = ({
  environment,
  terminal,
}: Pick<CliContext, 'environment' | 'terminal'>): Promise<Output> =>
  withDatabase(readConfig(environment), async db => {
    const onProgress = (progress: MigrationProgress) => terminal.notice(describeMigrationProgress(progress))
    const applied = await migrate(db, { apply: true, onProgress })
    return {
      text: applied.length > 0 ? `Applied: ${applied.join(', ')}` : 'The database is up to date.',
      data: { applied },
    }
  })

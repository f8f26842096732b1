import type { Output } from '@carabiner/cli'
import {
  type Config,
  createLog,
  type Database,
  migrate,
  openDirectDatabase,
  requireNoUnfinishedRestore,
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

export const withMigrated = (config: Config, work: (db: Database) => Promise<Output>): Promise<Output> =>
  withDatabase(config, async db => {
    await migrate(db, { apply: config.migrate })
    await requireNoUnfinishedRestore(db)
    return work(db)
  })

/** A statement that reads or writes thousands of rows takes longer than one of a request. */
const MIN_TIMEOUT_MS = 60_000

export const withLongStatements = (config: Config): Config => ({
  ...config,
  databaseTimeoutMs: Math.max(config.databaseTimeoutMs, MIN_TIMEOUT_MS),
})

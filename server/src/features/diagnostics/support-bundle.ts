import { arch, cpus, platform, release, totalmem } from 'node:os'
import type { Config } from '../../platform/config.ts'
import type { Database } from '../../platform/database/database.ts'
import { readMigrations } from '../../platform/database/migrate.ts'
import { diagnosticsStore } from './checks/diagnostics-store.ts'
import type { Finding } from './checks/finding.ts'
import { describeSettings, secretsOf } from './describe-settings.ts'

/** Settings of PostgreSQL that explain most differences between installations. */
const DATABASE_SETTINGS = [
  'autovacuum',
  'default_transaction_isolation',
  'effective_cache_size',
  'fsync',
  'full_page_writes',
  'idle_in_transaction_session_timeout',
  'jit',
  'lc_collate',
  'maintenance_work_mem',
  'max_connections',
  'max_wal_size',
  'random_page_cost',
  'server_encoding',
  'shared_buffers',
  'statement_timeout',
  'synchronous_commit',
  'synchronous_standby_names',
  'wal_level',
  'work_mem',
]

export type BundleInput = {
  version: string
  /** Null if the settings are invalid. */
  config: Config | null
  db: Database | null
  findings: Finding[]
  /** More texts to remove, wherever they occur. */
  secrets: string[]
}

/** What a maintainer needs to find a fault, without secrets and without rows of customers. */
export const createSupportBundle = async ({
  version,
  config,
  db,
  findings,
  secrets,
}: BundleInput): Promise<string> => {
  const bundle = {
    created_at: new Date().toISOString(),
    version,
    node: process.version,
    machine: {
      platform: platform(),
      release: release(),
      arch: arch(),
      cores: cpus().length,
      memory_bytes: totalmem(),
    },
    settings: config && describeSettings(config),
    doctor: findings,
    database: db && (await describeDatabase(db)),
  }
  return redact(JSON.stringify(bundle, null, 2), [...secrets, ...(config ? secretsOf(config) : [])])
}

/** A part that cannot be read is replaced by its error. */
const part = async <T>(read: () => Promise<T>): Promise<T | { error: string }> => {
  try {
    return await read()
  } catch (error) {
    return { error: (error as Error).message }
  }
}

const describeDatabase = async (db: Database) => ({
  engine: db.engine,
  server: await part(() => diagnosticsStore.server(db)),
  settings: await part(async () =>
    Object.fromEntries(await diagnosticsStore.settings(db, DATABASE_SETTINGS)),
  ),
  migrations: await part(() => readMigrations(db)),
  tables: await part(() => diagnosticsStore.tables(db)),
  organizations: await part(() => diagnosticsStore.organizations(db)),
  calls_of_the_last_day: await part(() => diagnosticsStore.failures(db)),
})

const MIN_SECRET_LENGTH = 4

/** The bundle is made without secrets. This removes one that an error message repeats. */
const redact = (text: string, secrets: string[]): string => {
  let clean = text.replace(/\/\/[^/@\s"]+@/g, '//[credentials]@')
  for (const secret of secrets) {
    if (secret.length < MIN_SECRET_LENGTH) continue
    clean = clean.replaceAll(JSON.stringify(secret).slice(1, -1), '[secret]')
  }
  return clean
}

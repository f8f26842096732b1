import { type Database, ping, type Queryable } from '../database/database.ts'
import { checkMigrations, loadMigrations } from '../database/migrate.ts'
import type { Queue } from '../jobs/queue.ts'
import type { Log } from '../log.ts'
import type { Vault } from '../vault/vault.ts'
import { createReadiness, type Readiness } from './readiness.ts'

type Deps = { db: Database; batched: Queryable; vault: Vault; queue: Queue; log: Log }

/** The readiness of a process: database, migrations, vault key and job queue. */
export const createServiceReadiness = async (deps: Deps): Promise<Readiness> => {
  const { db, batched, vault, queue, log } = deps
  const migrations = await loadMigrations()
  return createReadiness({
    log,
    first: {
      name: 'database',
      action: 'Check that PostgreSQL runs and that DATABASE_URL is reachable from this machine.',
      // Tests the connections that calls use, because others may work while these hang.
      run: () => Promise.all([batched.query(ping), db.query(ping)]),
    },
    others: [
      {
        name: 'migrations',
        action: 'Run the version of the service that matches the database, or start it without --no-migrate.',
        run: () => checkMigrations(db, migrations),
      },
      {
        name: 'vault_key',
        action: 'Copy the vault key file of the last rotation to this machine, or set VAULT_KEY.',
        run: () => vault.verifyKey(),
      },
      {
        name: 'queue',
        action: 'See the log for the error of the job queue. Its tables are in the schema pgboss.',
        run: () => queue.check(),
      },
    ],
  })
}

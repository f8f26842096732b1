import { SECOND } from '../../core/duration.ts'
import type { Database } from './database.ts'
import { boolean, double, integer, text, type Values } from './sql-types.ts'
import { statement } from './statement.ts'

/** An arbitrary lock number. One process migrates while the others wait. */
const ADVISORY_LOCK = 4_207_001

/**
 * A migration that waits for a table blocks every statement that arrives after it. It gives up after this time, so that those are served,
 * and tries again after a pause.
 */
export const LOCK_TIMEOUT_MS = 2 * SECOND
export const LOCK_PAUSE_MS = 3 * SECOND
/** Until this process checks again whether another one has finished migrating. */
export const OTHER_PROCESS_PAUSE_MS = 250

/** Held to the end of the transaction. */
export const tryLockMigrations = statement({
  name: 'migrate.try_lock',
  columns: { locked: boolean },
  sql: `select pg_try_advisory_xact_lock(${ADVISORY_LOCK}) as locked`,
})

const transactionColumns = { processId: integer, application: text, userName: text, seconds: double }
/** A transaction of another connection, open for `seconds`. */
export type LongTransaction = Values<typeof transactionColumns>

const selectLongTransactions = statement({
  name: 'migrate.long_transactions',
  parameters: { minSeconds: double },
  columns: transactionColumns,
  sql: `select pid as process_id, coalesce(application_name, '') as application, coalesce(usename, '')::text as user_name,
      extract(epoch from clock_timestamp() - xact_start)::float8 as seconds
    from pg_stat_activity
    where datname = current_database() and pid <> pg_backend_pid() and backend_type = 'client backend'
      and xact_start < clock_timestamp() - make_interval(secs => :minSeconds)
    order by xact_start limit 5`,
})

/** Transactions that are open longer than a migration waits. The embedded database has one connection. */
export const findLongTransactions = async (db: Database, minMs: number): Promise<LongTransaction[]> =>
  db.engine === 'pglite' ? [] : db.query(selectLongTransactions, { minSeconds: minMs / SECOND })

/** The lock was not available in time, or a deadlock was resolved by ending this transaction. */
export const isLockFailure = (error: unknown): boolean =>
  ['55P03', '40P01'].includes((error as { code?: string } | null)?.code ?? '')

export type MigrationProgress =
  | { step: 'applied'; name: string }
  /** Another process migrates. */
  | { step: 'waiting' }
  /** Found before the first migration; or a migration could not lock a table, and is tried again. */
  | { step: 'long_transactions' | 'blocked'; name: string; transactions: LongTransaction[] }

const describeTransaction = ({ processId, application, userName, seconds }: LongTransaction): string =>
  `process ${processId} of PostgreSQL (${[application, userName].filter(Boolean).join(', ')}), open for ${Math.round(seconds)} s`

const describeTransactions = (transactions: LongTransaction[]): string =>
  transactions.length === 0 ? '' : `: ${transactions.map(describeTransaction).join('; ')}`

export const describeMigrationProgress = (progress: MigrationProgress): string => {
  switch (progress.step) {
    case 'applied':
      return `Applied ${progress.name}.`
    case 'waiting':
      return 'Another process is migrating the database. Waiting for it.'
    case 'long_transactions':
      return `Long-running transactions may delay ${progress.name}${describeTransactions(progress.transactions)}. Wait for backups and exports to end.`
    case 'blocked':
      return `${progress.name} waits for a table that another transaction uses${describeTransactions(progress.transactions)}. Requests are served meanwhile; trying again in ${LOCK_PAUSE_MS / SECOND} s.`
  }
}

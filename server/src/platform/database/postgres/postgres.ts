import type pg from 'pg'
import { SECOND } from '../../../core/duration.ts'
import type { Secret } from '../../../core/secret.ts'
import { type BoundStatement, type Database, markTransaction, refuseInsideTransaction } from '../database.ts'
import { spendBudget } from '../request-budget.ts'
import { isConnectionError } from './connection-error.ts'
import { IsoClient } from './iso-client.ts'
import { runBatch } from './postgres-batch.ts'
import { createListener } from './postgres-listener.ts'
import {
  closeWithin,
  connectionOptions,
  createPool,
  poolState,
  queryThrough,
  startTimeout,
  types,
  withClient,
} from './postgres-pool.ts'
import {
  BATCH_SETTINGS,
  bindSettings,
  COMMIT_ASYNC,
  connectionTimeout,
  type Settings,
  settingsSql,
  statementTimeout,
} from './postgres-settings.ts'

/** Releases the locks of a process that is stopped in the middle of a transaction. */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = '20s';`

type Options = {
  url: Secret
  /**
   * The same database without a pooler, if `url` is a pooler in transaction mode: each transaction then uses any
   * session of the server, so that settings apply to transactions, and LISTEN and the queue use this URL. Default:
   * `url` is the database.
   */
  directUrl?: Secret | undefined
  /** Whether connections prepare each statement once, under its name. Default: true. */
  preparedStatements?: boolean
  poolSize: number
  onIdleError: (error: Error) => void
  /** Timeout of a batch and of a new connection. Other statements get twice as long. */
  timeoutMs?: number
  /** Whether a batch of statements that may be lost commits without waiting for the disk. Default: false. */
  asyncCommit?: boolean
}

export const DEFAULT_DATABASE_TIMEOUT_MS = 5 * SECOND
/** Migrations rewrite whole tables. */
const NO_TIMEOUT_MS = 0x7fff_ffff

/**
 * A connection that hangs without a reset is detected by timeouts only: every statement has one, and a connection
 * that times out is replaced.
 */
export const openPostgres = async ({
  url,
  directUrl,
  preparedStatements: named = true,
  poolSize,
  onIdleError,
  timeoutMs = DEFAULT_DATABASE_TIMEOUT_MS,
  asyncCommit = false,
}: Options): Promise<Database> => {
  const pooled = directUrl !== undefined
  const statementMs = 2 * timeoutMs
  const connection = connectionOptions(url, timeoutMs)
  const poolOptions = (settings: Settings, milliseconds: number) => ({
    onIdleError,
    ...(!pooled && { settings: { ...settings, ...connectionTimeout(milliseconds) } }),
  })
  const querySettings = statementTimeout(statementMs)
  const pool = createPool(
    { ...connection, max: poolSize, query_timeout: statementMs },
    poolOptions(querySettings, statementMs),
  )
  const batchSettings = { ...statementTimeout(timeoutMs), ...BATCH_SETTINGS }
  const batchPool = createPool({ ...connection, max: 1 }, poolOptions(batchSettings, timeoutMs))
  ;(await pool.connect()).release()

  const run = async (client: pg.Pool | pg.PoolClient, sql: string): Promise<void> => {
    await client.query({ text: sql, query_timeout: NO_TIMEOUT_MS } as pg.QueryConfig)
  }
  /** Runs statements in one transaction, with these settings. */
  const runTogether = (
    from: pg.Pool,
    milliseconds: number,
    settings: Settings,
    statements: BoundStatement[],
  ): Promise<unknown[][]> =>
    withClient(from, async (client, onLost) => {
      const deadline = startTimeout(milliseconds)
      try {
        const bound = Object.keys(settings).length === 0 ? [] : [bindSettings(settings)]
        const sent = [...bound, ...statements]
        const results = await spendBudget(() =>
          Promise.race([runBatch(client, types, sent, { named }), deadline.passed]),
        )
        return results.slice(bound.length)
      } catch (error) {
        if (isConnectionError(error)) onLost(error as Error)
        throw error
      } finally {
        deadline.end()
      }
    })
  const direct = queryThrough(pool, { named })
  const listener = createListener(
    { ...connectionOptions(directUrl ?? url, timeoutMs), query_timeout: timeoutMs },
    onIdleError,
  )

  return {
    engine: 'postgres',
    query: async (requested, ...values) => {
      refuseInsideTransaction()
      if (!pooled) return direct.query(requested, ...values)
      const [rows] = await runTogether(pool, statementMs, querySettings, [[requested, values[0] as object]])
      return rows as never
    },
    transaction: async work => {
      refuseInsideTransaction()
      return withClient(pool, async (client, onLost) => {
        try {
          const begin = pooled ? BEGIN + settingsSql(querySettings, 'set local') : BEGIN
          await spendBudget(() => client.query(begin))
          const result = await markTransaction(() =>
            work({
              ...queryThrough(client, { named }),
              script: sql => run(client, `set local statement_timeout = 0; ${sql}`),
              inTransaction: true,
            }),
          )
          await spendBudget(() => client.query('commit'))
          return result
        } catch (error) {
          // A rollback on a hanging connection would never return. Closing the connection rolls back.
          if (isConnectionError(error)) onLost(error as Error)
          else await client.query('rollback').catch(onLost)
          throw error
        }
      })
    },
    batch: statements => {
      refuseInsideTransaction()
      const mayBeLost = asyncCommit && statements.every(([{ mayBeLost: allowed }]) => allowed)
      const settings = { ...(pooled && batchSettings), ...(mayBeLost && COMMIT_ASYNC) }
      return runTogether(batchPool, timeoutMs, settings, statements)
    },
    foreign: async (sql, values) => {
      refuseInsideTransaction()
      const { rows, rowCount } = await spendBudget(() =>
        pool.query<Record<string, unknown>>(sql, [...values]),
      )
      return { rows, affected: rowCount ?? 0 }
    },
    script: async sql => {
      refuseInsideTransaction()
      await run(pool, sql)
    },
    notify: async (channel, payload) => {
      refuseInsideTransaction()
      await spendBudget(() => pool.query('select pg_notify($1, $2)', [channel, payload]))
    },
    listen: listener.listen,
    pools: () => [poolState('general', pool), poolState('batch', batchPool)],
    queueConnection: {
      ...queueOptions,
      connectionString: (directUrl ?? url).reveal(),
      max: 2,
      application_name: 'carabiner jobs',
      connectionTimeoutMillis: timeoutMs,
    },
    close: async () => {
      await closeWithin(timeoutMs, [listener.close(), pool.end(), batchPool.end()])
    },
  }
}

/** pg-boss passes these to the driver. It creates its schema with one statement. */
const queueOptions = { keepAlive: true, query_timeout: 60 * SECOND, Client: IsoClient }

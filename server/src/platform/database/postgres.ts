import pg from 'pg'
import { SECOND } from '../../core/duration.ts'
import type { Secret } from '../../core/secret.ts'
import { isConnectionError } from './connection-error.ts'
import { type Database, markTransaction, refuseInsideTransaction } from './database.ts'
import { runBatch } from './postgres-batch.ts'
import {
  closeWithin,
  connectionOptions,
  createPool,
  poolState,
  queryThrough,
  sessionSettings,
  startTimeout,
  types,
  withClient,
} from './postgres-pool.ts'
import { text } from './sql-types.ts'
import { statement } from './statement.ts'

/** Releases the locks of a process that is stopped in the middle of a transaction. */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = '20s'`

/**
 * Session settings of the batch connection. Plans are prepared once and cached, so they must not depend on table
 * sizes: rows are looked up by key, in the order in which the statement joins them. A short lock timeout keeps a
 * locked row from blocking the batch.
 */
export const BATCH_SESSION_SETTINGS = `set plan_cache_mode = force_generic_plan; set join_collapse_limit = 1; set from_collapse_limit = 1;
  set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off; set enable_mergejoin = off;
  set enable_material = off; set jit = off; set lock_timeout = '100ms'`

/** For the transaction of the batch. */
const commitAsync = statement({
  name: 'batch.commit_async',
  columns: { setting: text },
  sql: `select set_config('synchronous_commit', 'off', true) as setting`,
})

type Options = {
  url: Secret
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
  poolSize,
  onIdleError,
  timeoutMs = DEFAULT_DATABASE_TIMEOUT_MS,
  asyncCommit = false,
}: Options): Promise<Database> => {
  const statementMs = 2 * timeoutMs
  const connection = connectionOptions(url, timeoutMs)
  const pool = createPool(
    { ...connection, max: poolSize, query_timeout: statementMs },
    {
      settings: sessionSettings(statementMs),
      onIdleError,
    },
  )
  const togetherPool = createPool(
    { ...connection, max: 1 },
    {
      settings: sessionSettings(timeoutMs) + BATCH_SESSION_SETTINGS,
      onIdleError,
    },
  )
  ;(await pool.connect()).release()

  const run = async (client: pg.Pool | pg.PoolClient, sql: string): Promise<void> => {
    await client.query({ text: sql, query_timeout: NO_TIMEOUT_MS } as pg.QueryConfig)
  }
  const direct = queryThrough(pool)
  const listener = createListener({ ...connection, query_timeout: timeoutMs }, onIdleError)

  return {
    engine: 'postgres',
    query: (requested, ...values) => {
      refuseInsideTransaction()
      return direct.query(requested, ...values)
    },
    transaction: async work => {
      refuseInsideTransaction()
      return withClient(pool, async (client, onLost) => {
        try {
          await client.query(BEGIN)
          const result = await markTransaction(() =>
            work({
              ...queryThrough(client),
              script: sql => run(client, `set local statement_timeout = 0; ${sql}`),
              inTransaction: true,
            }),
          )
          await client.query('commit')
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
      return withClient(togetherPool, async (client, onLost) => {
        const deadline = startTimeout(timeoutMs)
        try {
          const sent = mayBeLost ? [[commitAsync] as const, ...statements] : statements
          const results = await Promise.race([runBatch(client, types, sent), deadline.passed])
          return mayBeLost ? results.slice(1) : results
        } catch (error) {
          if (isConnectionError(error)) onLost(error as Error)
          throw error
        } finally {
          deadline.end()
        }
      })
    },
    script: async sql => {
      refuseInsideTransaction()
      await run(pool, sql)
    },
    notify: async (channel, payload) => {
      refuseInsideTransaction()
      await pool.query('select pg_notify($1, $2)', [channel, payload])
    },
    listen: listener.listen,
    pools: () => [poolState('general', pool), poolState('batch', togetherPool)],
    queueConnection: {
      ...queueTimeouts,
      connectionString: url.reveal(),
      max: 2,
      application_name: 'carabiner jobs',
      connectionTimeoutMillis: timeoutMs,
    },
    close: async () => {
      await closeWithin(timeoutMs, [listener.close(), pool.end(), togetherPool.end()])
    },
  }
}

/** pg-boss passes these to the driver. It creates its schema with one statement. */
const queueTimeouts = { keepAlive: true, query_timeout: 60 * SECOND }

/** The LISTEN connection is tested, because a hanging one would never notify. */
const LISTEN_TEST_INTERVAL_MS = 15 * SECOND

/** A dedicated connection for LISTEN. It reconnects as long as the service runs. */
const createListener = (connection: pg.ClientConfig, onError: (error: Error) => void) => {
  const handlers = new Map<string, Set<(payload: string) => void>>()
  let current: pg.Client | undefined
  let connected: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined
  let test: NodeJS.Timeout | undefined
  let closed = false

  const subscribe = (client: pg.Client, channel: string) =>
    client.query(`listen ${pg.escapeIdentifier(channel)}`)

  const connect = async (): Promise<void> => {
    const client = new pg.Client(connection)
    current = client
    client.on('notification', ({ channel, payload }) => {
      for (const handler of handlers.get(channel) ?? []) handler(payload ?? '')
    })
    client.on('error', error => lost(client, error))
    client.on('end', () => lost(client))
    await client.connect()
    clearInterval(test)
    test = setInterval(() => {
      client.query('select 1').catch((error: Error) => lost(client, error))
    }, LISTEN_TEST_INTERVAL_MS).unref()
    for (const channel of handlers.keys()) await subscribe(client, channel)
  }
  /** Errors of connections that were already replaced are ignored. */
  const lost = (client: pg.Client, error?: Error): void => {
    if (closed || current !== client) return
    current = undefined
    connected = undefined
    if (error) onError(error)
    client.end().catch(() => undefined)
    retry = setTimeout(() => void ensure().catch(() => undefined), 1000)
  }
  const ensure = (): Promise<void> => {
    connected ??= connect().catch((error: Error) => {
      if (current) lost(current, error)
      throw error
    })
    return connected
  }

  return {
    listen: async (channel: string, onNotification: (payload: string) => void) => {
      const known = handlers.get(channel)
      handlers.set(channel, (known ?? new Set()).add(onNotification))
      const fresh = connected === undefined
      await ensure()
      if (!known && !fresh && current) await subscribe(current, channel)
      return async () => {
        handlers.get(channel)?.delete(onNotification)
      }
    },
    close: async () => {
      closed = true
      clearTimeout(retry)
      clearInterval(test)
      await current?.end()
    },
  }
}

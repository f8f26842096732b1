import pg from 'pg'
import type { Secret } from '../core/secret.ts'
import { type Database, markTransaction, type Queryable, refuseInsideTransaction } from './database.ts'
import { runBatch } from './postgres-batch.ts'

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

/** A process that is stopped in the middle of a transaction holds its locks until the database has enough of it. */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = '20s'`

/**
 * The connection of what is asked together. A plan is made once and kept, so it must not be one that was right for small tables only:
 * rows are looked up by key, in the order in which the statement joins them. And whoever holds a row, nobody waits behind those who
 * want it.
 */
export const TOGETHER = `set plan_cache_mode = force_generic_plan; set join_collapse_limit = 1; set from_collapse_limit = 1;
  set enable_seqscan = off; set enable_bitmapscan = off; set enable_hashjoin = off; set enable_mergejoin = off;
  set enable_material = off; set jit = off; set lock_timeout = '100ms'`

type ClientWork<T> = (client: pg.PoolClient, onLost: (error: Error) => void) => Promise<T>

type Options = { url: Secret; poolSize: number; onIdleError: (error: Error) => void }

export const openPostgres = async ({ url, poolSize, onIdleError }: Options): Promise<Database> => {
  const connection = { connectionString: url.reveal(), types, application_name: 'carabiner', keepAlive: true }
  const pool = new pg.Pool({
    ...connection,
    max: poolSize,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 60_000,
  })
  const togetherPool = new pg.Pool({
    ...connection,
    max: 1,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 60_000,
    // Waited for, whatever its type says.
    onConnect: client => client.query(TOGETHER) as unknown as void,
  })
  pool.on('error', onIdleError)
  togetherPool.on('error', onIdleError)
  ;(await pool.connect()).release()

  const through = (client: pg.Pool | pg.PoolClient): Queryable => ({
    query: async (statement, parameters = []) =>
      (await client.query({ name: statement.name, text: statement.text, values: parameters })).rows,
  })
  const withClient = async <T>(from: pg.Pool, work: ClientWork<T>): Promise<T> => {
    const client = await from.connect()
    let broken: Error | undefined
    // The pool listens to idle connections only: one that is lost while it is used would end the process.
    const onLost = (error: Error) => {
      broken = error
    }
    client.on('error', onLost)
    try {
      return await work(client, onLost)
    } finally {
      client.off('error', onLost)
      client.release(broken)
    }
  }
  const run = async (client: pg.Pool | pg.PoolClient, sql: string): Promise<void> => {
    await client.query(sql)
  }
  const direct = through(pool)
  const listener = createListener(connection, onIdleError)

  return {
    engine: 'postgres',
    query: (statement, parameters) => {
      refuseInsideTransaction()
      return direct.query(statement, parameters)
    },
    transaction: async work => {
      refuseInsideTransaction()
      return withClient(pool, async (client, onLost) => {
        try {
          await client.query(BEGIN)
          const result = await markTransaction(() =>
            work({ ...through(client), script: sql => run(client, sql), inTransaction: true }),
          )
          await client.query('commit')
          return result
        } catch (error) {
          await client.query('rollback').catch(onLost)
          throw error
        }
      })
    },
    together: asked => {
      refuseInsideTransaction()
      return withClient(togetherPool, client => runBatch(client, types, asked))
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
    queueConnection: { connectionString: url.reveal(), max: 2, application_name: 'carabiner jobs' },
    close: async () => {
      await listener.close()
      await Promise.all([pool.end(), togetherPool.end()])
    },
  }
}

/** One connection of its own for LISTEN; it reconnects for as long as the service runs. */
const createListener = (connection: pg.ClientConfig, onError: (error: Error) => void) => {
  const handlers = new Map<string, Set<(payload: string) => void>>()
  let current: pg.Client | undefined
  let connected: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined
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
    for (const channel of handlers.keys()) await subscribe(client, channel)
  }
  /** Only the connection in use can be lost; what an earlier one still has to say no longer matters. */
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
      await current?.end()
    },
  }
}

import pg from 'pg'
import type { Secret } from '../core/secret.ts'
import { type Database, markTransaction, type Queryable, refuseInsideTransaction } from './database.ts'

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

/** A process that is stopped in the middle of a transaction holds its locks until the database has enough of it. */
const BEGIN = `begin; set local idle_in_transaction_session_timeout = '20s'`

type Options = { url: Secret; poolSize: number; onIdleError: (error: Error) => void }

export const openPostgres = async ({ url, poolSize, onIdleError }: Options): Promise<Database> => {
  const connection = { connectionString: url.reveal(), types, application_name: 'carabiner', keepAlive: true }
  const pool = new pg.Pool({
    ...connection,
    max: poolSize,
    connectionTimeoutMillis: 5000,
    idleTimeoutMillis: 60_000,
  })
  pool.on('error', onIdleError)
  ;(await pool.connect()).release()

  const through = (client: pg.Pool | pg.PoolClient): Queryable => ({
    query: async (statement, parameters = []) =>
      (await client.query({ name: statement.name, text: statement.text, values: parameters })).rows,
  })
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
      const client = await pool.connect()
      let broken: Error | undefined
      // The pool listens to idle connections only: one that is lost inside a transaction would end the process.
      const onLost = (error: Error) => {
        broken = error
      }
      client.on('error', onLost)
      try {
        await client.query(BEGIN)
        const result = await markTransaction(() =>
          work({ ...through(client), script: sql => run(client, sql), inTransaction: true }),
        )
        await client.query('commit')
        return result
      } catch (error) {
        await client.query('rollback').catch(rollbackError => {
          broken = rollbackError as Error
        })
        throw error
      } finally {
        client.off('error', onLost)
        client.release(broken)
      }
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
      await pool.end()
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

import pg from 'pg'
import type { Secret } from '../core/secret.ts'
import { type Database, markTransaction, type Queryable, refuseInsideTransaction } from './database.ts'

/** Errors after which the same statement may well succeed: the server went away, failed over, or is starting. */
const CONNECTION_LOST = /^(08|57P0|53300)/
const NETWORK_ERRORS = new Set(['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND'])

export const isConnectionError = (error: unknown): boolean => {
  const code = (error as { code?: string } | null)?.code ?? ''
  const message = (error as Error | null)?.message ?? ''
  return (
    CONNECTION_LOST.test(code) ||
    NETWORK_ERRORS.has(code) ||
    /Connection terminated|timeout exceeded when trying to connect/.test(message)
  )
}

const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

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
      try {
        await client.query('begin')
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
        client.release(broken)
      }
    },
    script: sql => run(pool, sql),
    notify: async (channel, payload) => {
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
  let client: pg.Client | undefined
  let connecting: Promise<void> | undefined
  let retry: NodeJS.Timeout | undefined
  let closed = false

  const connect = async (): Promise<void> => {
    const fresh = new pg.Client(connection)
    fresh.on('notification', ({ channel, payload }) => {
      for (const handler of handlers.get(channel) ?? []) handler(payload ?? '')
    })
    const lost = (error?: Error) => {
      if (client !== fresh && error === undefined) return
      client = undefined
      connecting = undefined
      if (closed) return
      if (error) onError(error)
      retry ??= setTimeout(() => {
        retry = undefined
        ensure().catch(() => undefined)
      }, 1000)
    }
    fresh.on('error', lost)
    fresh.on('end', () => lost())
    await fresh.connect().catch(error => {
      lost(error as Error)
      throw error
    })
    client = fresh
    for (const channel of handlers.keys()) await fresh.query(`listen ${pg.escapeIdentifier(channel)}`)
  }
  const ensure = (): Promise<void> => {
    connecting ??= connect()
    return connecting
  }

  return {
    listen: async (channel: string, onNotification: (payload: string) => void) => {
      const known = handlers.has(channel)
      const set = handlers.get(channel) ?? new Set()
      handlers.set(channel, set.add(onNotification))
      await ensure()
      if (!known) await client?.query(`listen ${pg.escapeIdentifier(channel)}`)
      return async () => {
        set.delete(onNotification)
      }
    },
    close: async () => {
      closed = true
      clearTimeout(retry)
      await client?.end()
    },
  }
}

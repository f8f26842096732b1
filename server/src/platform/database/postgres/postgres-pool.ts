import pg from 'pg'
import { SECOND } from '../../../core/duration.ts'
import type { Secret } from '../../../core/secret.ts'
import type { PoolState, Queryable } from '../database.ts'
import { spendBudget } from '../request-budget.ts'
import { bind, toRows } from '../statement.ts'
import { DatabaseTimeout } from './connection-error.ts'
import { IsoClient } from './iso-client.ts'
import { type Settings, settingsSql } from './postgres-settings.ts'

export const types = new pg.TypeOverrides()
types.setTypeParser(pg.types.builtins.INT8, Number)

type ClientWork<T> = (client: pg.PoolClient, onLost: (error: Error) => void) => Promise<T>

export const connectionOptions = (url: Secret, timeoutMs: number) => ({
  connectionString: url.reveal(),
  types,
  application_name: 'carabiner',
  keepAlive: true,
  keepAliveInitialDelayMillis: 10 * SECOND,
  connectionTimeoutMillis: timeoutMs,
})

type PoolOptions = {
  /** Settings of every new connection. Default: none, because a pooler would apply them to sessions of others. */
  settings?: Settings
  onIdleError: (error: Error) => void
}

export const createPool = (
  config: pg.PoolConfig & ReturnType<typeof connectionOptions>,
  { settings, onIdleError }: PoolOptions,
): pg.Pool => {
  const pool = new pg.Pool({
    ...config,
    Client: IsoClient,
    idleTimeoutMillis: 60_000,
    ...(settings && {
      onConnect: (client: pg.ClientBase) =>
        // The pool awaits the result, although its type says otherwise.
        client.query({
          text: settingsSql(settings),
          query_timeout: config.connectionTimeoutMillis,
        } as pg.QueryConfig) as unknown as void,
    }),
  })
  pool.on('error', onIdleError)
  return pool
}

export const poolState = (name: string, { idleCount, totalCount, waitingCount }: pg.Pool): PoolState => ({
  name,
  idle: idleCount,
  inUse: totalCount - idleCount,
  waiting: waitingCount,
})

/** `named`: the connection prepares each statement once, under its name. Default: true. */
export const queryThrough = (client: pg.Pool | pg.PoolClient, { named = true } = {}): Queryable => ({
  query: async (statement, ...[values]) => {
    const { name, text } = statement
    const sent = { ...(named && { name }), text, values: bind(statement, values), rowMode: 'array' as const }
    const result = await spendBudget(() => client.query(sent))
    return toRows(statement, result.fields, result.rows)
  },
})

const acquire = async (from: pg.Pool): Promise<pg.PoolClient> => {
  const connecting = from.connect()
  try {
    return await spendBudget(() => connecting)
  } catch (error) {
    // A connection that arrives too late is returned to the pool.
    connecting.then(
      client => client.release(),
      () => undefined,
    )
    throw error
  }
}

export const withClient = async <T>(from: pg.Pool, work: ClientWork<T>): Promise<T> => {
  const client = await acquire(from)
  let broken: Error | undefined
  // The pool handles errors of idle connections only. An unhandled error of one in use would end the process.
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

export const startTimeout = (milliseconds: number): { passed: Promise<never>; end: () => void } => {
  const { promise, reject } = Promise.withResolvers<never>()
  const timer = setTimeout(() => reject(new DatabaseTimeout()), milliseconds)
  return { passed: promise, end: () => clearTimeout(timer) }
}

/** A hanging connection never confirms that it is closed. */
export const closeWithin = async (timeoutMs: number, closing: Promise<unknown>[]): Promise<void> => {
  const deadline = startTimeout(timeoutMs)
  await Promise.race([Promise.allSettled(closing), deadline.passed]).catch(() => undefined)
  deadline.end()
}

import { AsyncLocalStorage } from 'node:async_hooks'
import type { ConstructorOptions } from 'pg-boss'

/** A named statement: the name is what the driver prepares it under, once per connection. */
export type Statement<Row> = { readonly name: string; readonly text: string; readonly row?: Row }

export type Parameter = string | number | boolean | Date | Uint8Array | null | Parameter[]

export type Queryable = { query<Row>(statement: Statement<Row>, parameters?: Parameter[]): Promise<Row[]> }

/** A statement, and what it is asked with. */
export type Asked<Row = unknown> = readonly [statement: Statement<Row>, parameters: Parameter[]]

/** Several statements without parameters; for migrations and tests. */
type Scriptable = { script(sql: string): Promise<void> }

export type Transaction = Queryable & Scriptable & { readonly inTransaction: true }

export type Database = Queryable &
  Scriptable & {
    readonly engine: 'postgres' | 'pglite'
    transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
    /**
     * Statements of many callers in one round trip and one transaction: all of them happen, or none. Each must find its rows by
     * key, since its plan is kept. None waits long for a lock that somebody else holds: then none happens (`mayGoAlone`).
     */
    together(asked: Asked[]): Promise<unknown[][]>
    /** Wake-ups between nodes: hints that something changed, never the only way to learn of it. */
    notify(channel: string, payload: string): Promise<void>
    listen(channel: string, onNotification: (payload: string) => void): Promise<() => Promise<void>>
    /** How pg-boss reaches the same database. */
    readonly queueConnection: ConstructorOptions
    close(): Promise<void>
  }

/** Rows are whatever the statement selects; the store that owns the statement says their type. */
export const statement = <Row = never>(name: string, text: string): Statement<Row> => ({ name, text })

/** A value for a jsonb parameter; drivers disagree on how to serialise arrays, so we do it for them. */
export const json = (value: unknown): string => JSON.stringify(value)

export const one = async <Row>(
  db: Queryable,
  query: Statement<Row>,
  parameters: Parameter[],
): Promise<Row | null> => (await db.query(query, parameters))[0] ?? null

/**
 * The database undid what was asked together, and lives, or one could not even be sent: each may be asked by itself. After anything else
 * nobody knows.
 */
export const mayGoAlone = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Error && 'severity' in error && error.severity === 'ERROR')

/**
 * Asking the database instead of the transaction, inside one, waits for ever on PGlite and sees other data on Postgres.
 * Both engines go through this guard, so that the mistake fails at once, everywhere.
 */
const insideTransaction = new AsyncLocalStorage<true>()

export const refuseInsideTransaction = (): void => {
  if (insideTransaction.getStore())
    throw new Error('Use the transaction handle: the database was asked inside a transaction.')
}

export const markTransaction = <T>(work: () => Promise<T>): Promise<T> => insideTransaction.run(true, work)

/** Answers without reading a table. */
export const ping = statement<{ ok: number }>('ready.ping', 'select 1 as ok')

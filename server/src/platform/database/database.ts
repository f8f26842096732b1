import { AsyncLocalStorage } from 'node:async_hooks'
import type { ConstructorOptions } from 'pg-boss'
import { integer } from './sql-types.ts'
import { type AnyStatement, type Statement, statement } from './statement.ts'

export type Queryable = {
  query<Parameters, Row>(
    statement: Statement<Parameters, Row>,
    ...values: ValuesFor<NoInfer<Parameters>>
  ): Promise<Row[]>
}

/** Optional for a statement without parameters. */
export type ValuesFor<Parameters> = object extends Parameters ? [values?: Parameters] : [values: Parameters]

/** A statement with the values of its parameters. */
export type BoundStatement = readonly [statement: AnyStatement, values?: object]

/** Several statements without parameters; for migrations and tests. */
type Scriptable = { script(sql: string): Promise<void> }

export type Transaction = Queryable & Scriptable & { readonly inTransaction: true }

export type Database = Queryable &
  Scriptable & {
    readonly engine: 'postgres' | 'pglite'
    transaction<T>(work: (tx: Transaction) => Promise<T>): Promise<T>
    /**
     * Runs statements of several callers in one round trip and one transaction, all or none. Each must find its rows
     * by key, because its plan is cached. A statement that waits too long for a lock rolls all of them back
     * (`canRetrySeparately`).
     */
    batch(statements: BoundStatement[]): Promise<unknown[][]>
    /** Runs SQL of a library, with numbered parameters. Its rows have the names of the columns. */
    foreign(sql: string, values: readonly unknown[]): Promise<ForeignResult>
    /** Notifications between nodes. They are hints and may be lost. */
    notify(channel: string, payload: string): Promise<void>
    listen(channel: string, onNotification: (payload: string) => void): Promise<() => Promise<void>>
    /** The state of the connection pools, for metrics. */
    pools(): PoolState[]
    /** Connection options for pg-boss. */
    readonly queueConnection: ConstructorOptions
    close(): Promise<void>
  }

export type ForeignResult = { rows: Record<string, unknown>[]; affected: number }

export type PoolState = {
  name: string
  idle: number
  inUse: number
  /** Callers that wait for a connection. */
  waiting: number
}

export const one = async <Parameters, Row>(
  db: Queryable,
  query: Statement<Parameters, Row>,
  ...values: ValuesFor<NoInfer<Parameters>>
): Promise<Row | null> => (await db.query(query, ...values))[0] ?? null

/**
 * Whether the batch was rolled back on a working connection, or could not be sent, so that each statement may be
 * retried separately. After any other error the outcome is unknown.
 */
export const canRetrySeparately = (error: unknown): boolean =>
  error instanceof TypeError || (error instanceof Error && 'severity' in error && error.severity === 'ERROR')

/**
 * Inside a transaction, a query on the database handle deadlocks on PGlite and reads other data on PostgreSQL. Both
 * engines call this guard, so that the mistake fails at once.
 */
const insideTransaction = new AsyncLocalStorage<true>()

export const refuseInsideTransaction = (): void => {
  if (insideTransaction.getStore())
    throw new Error('The database handle was used inside a transaction. Use the transaction handle.')
}

/** For work on other connections while a transaction stays open, because it holds a lock or a snapshot. */
export const leaveTransaction = <T>(work: () => Promise<T>): Promise<T> => insideTransaction.exit(work)

export const markTransaction = <T>(work: () => Promise<T>): Promise<T> => insideTransaction.run(true, work)

/** Answers without reading a table. */
export const ping = statement({ name: 'ready.ping', columns: { ok: integer }, sql: 'select 1 as ok' })

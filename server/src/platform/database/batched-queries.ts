import { coalesce } from './coalesce.ts'
import { isConnectionError } from './connection-error.ts'
import { type BoundStatement, canRetrySeparately, type Database, type Queryable } from './database.ts'
import type { Statement } from './statement.ts'

/**
 * Runs statements of concurrent callers in batches: statements that arrive while a batch is in flight form the next
 * one, sent in one write and committed once. Each caller waits for the commit of its own statement; a single caller
 * is not delayed. One batch at a time, since two would only double the commits.
 */
export const createBatchedQueries = (db: Database): Queryable => {
  const enqueue = coalesce<BoundStatement, unknown[]>(statements => db.batch(statements), {
    // A statement that fails or waits for a row lock is retried separately, without delaying the others.
    retrySeparately: async ([statement, values], failure) => {
      if (!canRetrySeparately(failure) || isConnectionError(failure)) throw failure
      return db.query(statement, values)
    },
    // Statements queued behind a hanging connection fail with it instead of waiting for another timeout.
    failsAll: isConnectionError,
  })
  return {
    query: <Parameters, Row>(statement: Statement<Parameters, Row>, ...[values]: unknown[]) =>
      enqueue([statement, values as object]) as Promise<Row[]>,
  }
}

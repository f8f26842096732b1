import { coalesce } from './coalesce.ts'
import { isConnectionError } from './connection-error.ts'
import { type Asked, type Database, mayGoAlone, type Queryable } from './database.ts'

/**
 * Asks the database for many callers at once: whoever comes while a trip is under way goes with the next, in one write and one commit.
 * Each waits for the commit of its own statement, so nothing is acknowledged early; alone, a caller waits for nobody. One trip at a
 * time: two would share the same work among twice as many commits.
 */
export const createBatchedQueries = (db: Database): Queryable => {
  const travel = coalesce<Asked, unknown[]>(asked => db.together(asked), {
    // One that cannot be done, or has to wait for a row, does so by itself, and holds up nobody.
    alone: async ([statement, parameters], failure) => {
      if (!mayGoAlone(failure) || isConnectionError(failure)) throw failure
      return db.query(statement, parameters)
    },
    // Who has queued behind a connection that hangs is not made to wait for the next one to hang as well.
    failsAll: isConnectionError,
  })
  return {
    query: <Row>(...[statement, parameters = []]: Parameters<Queryable['query']>) =>
      travel([statement, parameters]) as Promise<Row[]>,
  }
}

import { coalesce } from './coalesce.ts'
import { type Asked, type Database, mayGoAlone, type Queryable } from './database.ts'

/**
 * Asks the database for many callers at once: whoever comes while a trip is under way goes with the next, in one write and one commit.
 * Each waits for the commit of its own statement, so nothing is acknowledged early; alone, a caller waits for nobody. One trip at a
 * time: two would share the same work among twice as many commits.
 */
export const createSharedTrips = (db: Database): Queryable => {
  const travel = coalesce<Asked, unknown[]>(asked => db.together(asked), {
    // One that cannot be done, or has to wait for a row, does so by itself, and holds up nobody.
    alone: async ([statement, parameters], failure) => {
      if (!mayGoAlone(failure)) throw failure
      return db.query(statement, parameters)
    },
  })
  return {
    query: <Row>(...[statement, parameters = []]: Parameters<Queryable['query']>) =>
      travel([statement, parameters]) as Promise<Row[]>,
  }
}

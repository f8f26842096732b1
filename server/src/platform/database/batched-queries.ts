import { coalesce } from './coalesce.ts'
import { type BoundStatement, canRetrySeparately, type Database, type Queryable } from './database.ts'
import { isConnectionError } from './postgres/connection-error.ts'
import { type AnyStatement, type Statement, toRequests } from './statement.ts'

/**
 * Runs statements of concurrent callers in batches: statements that arrive while a batch is in flight form the next
 * one, sent in one write and committed once. Each caller waits for the commit of its own statement; a single caller
 * is not delayed. One batch at a time, since two would only double the commits. Callers of the same statement share one if it has a
 * form for many.
 */
export const createBatchedQueries = (db: Database): Queryable => {
  const enqueue = coalesce<BoundStatement, unknown[]>(statements => runGrouped(db, statements), {
    // A statement that fails or waits for a row lock is retried separately, without delaying the others.
    retrySeparately: async ([statement, values], failure) => {
      if (!canRetrySeparately(failure) || isConnectionError(failure)) throw failure
      return db.query(statement, values)
    },
    // Statements queued behind a hanging connection fail with it instead of waiting for another timeout.
    failsAll: isConnectionError,
  })
  return {
    query: async <Parameters, Row>(statement: Statement<Parameters, Row>, ...[values]: unknown[]) => {
      const rows = await enqueue([statement, values as object])
      const [first] = rows as { separately?: boolean }[]
      return (
        first?.separately ? await enqueue([{ ...statement, forMany: undefined }, values as object]) : rows
      ) as Row[]
    },
  }
}

const runGrouped = async (db: Database, statements: BoundStatement[]): Promise<unknown[][]> => {
  const groups = groupByStatement(statements)
  const results = await db.batch(groups.map(({ bound }) => bound))
  const rows: unknown[][] = statements.map(() => [])
  for (const [index, { callers }] of groups.entries()) {
    const found = results[index] ?? []
    const [only] = callers
    if (callers.length === 1 && only !== undefined) rows[only] = found
    else for (const row of found as { position: number }[]) rows[callers[row.position] ?? -1]?.push(row)
  }
  return rows
}

/** `callers`: the positions of the statements that are run by `bound`. */
type Group = { bound: BoundStatement; callers: number[] }

const groupByStatement = (statements: BoundStatement[]): Group[] => {
  const groups: Group[] = []
  const shared = new Map<AnyStatement, Group>()
  for (const [position, bound] of statements.entries()) {
    const { forMany } = bound[0]
    const group = forMany && shared.get(forMany)
    if (group) {
      group.callers.push(position)
      continue
    }
    const started = { bound, callers: [position] }
    groups.push(started)
    if (forMany) shared.set(forMany, started)
  }
  for (const [forMany, group] of shared)
    if (group.callers.length > 1) {
      const values = group.callers.map(position => statements[position]?.[1] ?? {})
      group.bound = [forMany, toRequests(group.bound[0], values)]
    }
  return groups
}

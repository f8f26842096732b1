import { coalesce } from './coalesce.ts'
import { isConnectionError } from './connection-error.ts'
import { type BoundStatement, canRetrySeparately, type Database, type Queryable } from './database.ts'
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
      return (first?.separately ? await enqueue([forOne(statement), values as object]) : rows) as Row[]
    },
  }
}

const forOneOf = new WeakMap<AnyStatement, AnyStatement>()
/** The statement without its form for many. */
const forOne = (statement: AnyStatement): AnyStatement => {
  const known = forOneOf.get(statement) ?? { ...statement, forMany: undefined }
  forOneOf.set(statement, known)
  return known
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
  const callersOf = new Map<unknown, number[]>()
  for (const [position, [statement]] of statements.entries()) {
    const key = statement.forMany ?? position
    callersOf.set(key, [...(callersOf.get(key) ?? []), position])
  }
  return [...callersOf.values()].map(callers => {
    const [bound] = callers.map(position => statements[position] as BoundStatement) as [BoundStatement]
    const [statement] = bound
    if (callers.length === 1 || !statement.forMany) return { bound, callers }
    const values = callers.map(position => statements[position]?.[1] ?? {})
    return { bound: [statement.forMany, toRequests(statement, values)], callers }
  })
}

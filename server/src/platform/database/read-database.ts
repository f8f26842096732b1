import type { Database, ValuesFor } from './database.ts'
import type { ListStatement } from './statement.ts'

export type ListReads = {
  read<Parameters, Row>(
    statement: ListStatement<Parameters, Row>,
    ...values: ValuesFor<NoInfer<Parameters>>
  ): Promise<Row[]>
}

/**
 * Reads lists, from a replica if there is one. It is not a `Queryable`, so that it cannot be passed to code that decides
 * or writes, and it accepts only statements that are declared with `listStatement`.
 */
export type ReadDatabase = ListReads & {
  /** Runs reads with these planner settings. `work` may run twice: on the replica, and after a failure on the primary. */
  readWith<T>(settings: string, work: (reads: ListReads) => Promise<T>): Promise<T>
}

/** Reads lists from the primary. */
export const readPrimary = (db: Pick<Database, 'query' | 'transaction'>): ReadDatabase => ({
  read: (statement, ...values) => db.query(statement, ...values),
  readWith: (settings, work) =>
    db.transaction(async tx => {
      await tx.script(settings)
      return work({ read: (statement, ...values) => tx.query(statement, ...values) })
    }),
})

import {
  type CompiledQuery,
  type DatabaseConnection,
  type Dialect,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type QueryResult,
} from 'kysely'
import type { Database } from '../../platform/database/database.ts'

/**
 * Runs the queries of better-auth on the service's own connections, on both engines. Without transactions: better-auth runs each query
 * for itself unless its adapter offers them.
 */
export const createDialect = (db: Database): Dialect => {
  const connection: DatabaseConnection = {
    executeQuery: async <Row>({ sql, parameters }: CompiledQuery): Promise<QueryResult<Row>> => {
      const { rows, affected } = await db.foreign(sql, parameters)
      return { rows: rows as Row[], numAffectedRows: BigInt(affected) }
    },
    streamQuery: () => {
      throw new Error('better-auth does not stream')
    },
  }
  const noTransactions = async (): Promise<void> => {
    throw new Error('better-auth runs without transactions')
  }
  return {
    createAdapter: () => new PostgresAdapter(),
    createQueryCompiler: () => new PostgresQueryCompiler(),
    createIntrospector: kysely => new PostgresIntrospector(kysely),
    createDriver: () => ({
      init: async () => undefined,
      acquireConnection: async () => connection,
      releaseConnection: async () => undefined,
      destroy: async () => undefined,
      beginTransaction: noTransactions,
      commitTransaction: noTransactions,
      rollbackTransaction: noTransactions,
    }),
  }
}

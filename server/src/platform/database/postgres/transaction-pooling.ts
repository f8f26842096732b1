import { type Database, leaveTransaction, one, type Queryable } from '../database.ts'
import { integer } from '../sql-types.ts'
import { statement } from '../statement.ts'

const selectProcess = statement({
  name: 'pooling.process',
  columns: { processId: integer },
  sql: 'select pg_backend_pid() as process_id',
})
const readProcess = async (db: Queryable): Promise<number> => (await one(db, selectProcess))?.processId ?? 0

const ATTEMPTS = 3

/**
 * Whether a pooler assigns transactions of one connection to different server processes. Both handles have one connection and do not name
 * statements. A pooler in transaction mode lets the second one use the server process of the first between two transactions.
 */
export const detectTransactionPooling = async (db: Database, other: Database): Promise<boolean> => {
  const processes = new Set([await readProcess(db)])
  for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
    const otherProcess = await other.transaction(async tx => {
      const processId = await readProcess(tx)
      await leaveTransaction(async () => processes.add(await readProcess(db)))
      return processId
    })
    if (processes.has(otherProcess)) return true
  }
  return processes.size > 1
}

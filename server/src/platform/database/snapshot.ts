import type { Queryable } from './database.ts'
import { statement } from './statement.ts'

// All reads of the transaction see the database as it was at the first one.
const startRepeatableRead = statement({
  name: 'snapshot.start',
  sql: 'set transaction isolation level repeatable read, read only',
})
// Between two reads, the caller writes to a disk that may be slow.
const allowPauses = statement({
  name: 'snapshot.allow_pauses',
  sql: `set local idle_in_transaction_session_timeout = '10min'`,
})

/** The first statements of a transaction that reads the database as of one moment. */
export const startSnapshot = async (tx: Queryable): Promise<void> => {
  await tx.query(startRepeatableRead)
  await tx.query(allowPauses)
}

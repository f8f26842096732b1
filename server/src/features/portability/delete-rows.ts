import { MODES } from '../../core/mode.ts'
import type { Database } from '../../platform/database/database.ts'
import { writeThroughFence } from './fence.ts'
import { type DeletedRecords, type DeletedRows, tenantRowsStore } from './tenant-rows-store.ts'

/** Rows of one transaction. */
const BATCH = 1000

/** Deletes all rows of an organization in a table, in batches, and yields the number of each. */
export const deleteTable = (
  db: Database,
  organizationId: string,
  table: string,
): AsyncGenerator<number, void> =>
  table === 'tool_calls' ? deleteRecords(db, organizationId) : deleteTableByKey(db, organizationId, table)

async function* deleteTableByKey(
  db: Database,
  organizationId: string,
  table: string,
): AsyncGenerator<number, void> {
  let after: string[] | null = null
  do {
    const { deleted, lastKey }: DeletedRows = await writeThroughFence(db, organizationId, tx =>
      tenantRowsStore.deletePage(tx, organizationId, { table, after, limit: BATCH }),
    )
    after = lastKey
    if (deleted > 0) yield deleted
  } while (after !== null)
}

async function* deleteRecords(db: Database, organizationId: string): AsyncGenerator<number, void> {
  for (const mode of MODES) {
    let from = '-infinity'
    for (;;) {
      const { deleted, lastTime }: DeletedRecords = await writeThroughFence(db, organizationId, tx =>
        tenantRowsStore.deleteRecordPage(tx, organizationId, { mode, from, limit: BATCH }),
      )
      if (lastTime === null) break
      from = lastTime
      yield deleted
    }
  }
}

import type { RowChunk } from '../../platform/archive/archive-format.ts'
import type { Queryable } from '../../platform/database/database.ts'
import type { BackedUpTable } from './backed-up-tables.ts'
import { tableRowsStore } from './backup-store.ts'

/** A chunk is kept in memory and applied in one transaction. It may exceed the bytes by one row. */
const CHUNK_LIMITS = { limit: 5000, bytes: 4 * 1024 * 1024 }

export type TableReader = (table: BackedUpTable) => AsyncGenerator<RowChunk>

/** Reads whole tables as a backup contains them, one at a time. */
export const createTableReader = async (tx: Queryable): Promise<TableReader> => {
  const columnsOf = await tableRowsStore.columns(tx)
  return async function* ({ name }) {
    const columns = columnsOf.get(name) ?? []
    await tableRowsStore.open(tx, name)
    for (;;) {
      const lines = await tableRowsStore.fetch(tx, CHUNK_LIMITS)
      if (lines.length === 0) break
      yield { table: name, columns, lines }
    }
    await tableRowsStore.close(tx)
  }
}

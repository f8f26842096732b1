import { ImportFailure } from '../../platform/archive/archive-refusal.ts'
import { readAhead } from '../../platform/archive/read-ahead.ts'
import { addRows, isEqualTotal, NO_ROWS, type RowTotals } from '../../platform/archive/row-totals.ts'
import type { Database } from '../../platform/database/database.ts'
import { startSnapshot } from '../../platform/database/snapshot.ts'
import type { RowProgress } from '../portability/export-organization.ts'
import { BACKED_UP_TABLES } from './backed-up-tables.ts'
import { createTableReader } from './read-table.ts'

/** Reads the restored rows again, and compares their number and checksum with the backup. */
export const compareRows = (
  db: Database,
  totals: RowTotals,
  onProgress: (progress: RowProgress) => void,
): Promise<void> =>
  db.transaction(async tx => {
    await startSnapshot(tx)
    const readTable = await createTableReader(tx)
    const allRows = totals.values().reduce((sum, { rows }) => sum + rows, 0)
    let rows = 0
    for (const table of BACKED_UP_TABLES) {
      let found = NO_ROWS
      for await (const { lines } of readAhead(readTable(table))) {
        found = addRows(found, lines)
        rows += lines.length
        onProgress({ table: `comparing ${table.name}`, rows, allRows })
      }
      const expected = totals.get(table.name) ?? NO_ROWS
      if (!isEqualTotal(found, expected))
        throw new ImportFailure(
          `The restored rows of ${table.name} differ from the backup: ${found.rows} rows, expected ${expected.rows}. Restore the backup into a new database.`,
        )
    }
  })

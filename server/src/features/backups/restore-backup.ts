import type { RowChunk } from '../../platform/archive/archive-format.ts'
import { ArchiveRefusal, ImportFailure } from '../../platform/archive/archive-refusal.ts'
import { readAhead } from '../../platform/archive/read-ahead.ts'
import type { RowTotals } from '../../platform/archive/row-totals.ts'
import type { Database } from '../../platform/database/database.ts'
import { periodsOf } from '../portability/expired-records.ts'
import type { RowProgress } from '../portability/export-organization.ts'
import { createRecordPartitions } from '../portability/record-partitions.ts'
import { BACKED_UP_TABLES, INITIAL_TABLES } from './backed-up-tables.ts'
import type { Backup } from './backup-format.ts'
import { restoreStore, type StartedRestore, tableRowsStore } from './backup-store.ts'
import { compareRows } from './compare-rows.ts'

type RestoreOptions = {
  /** The totals that `checkBackup` returned. */
  totals: RowTotals
  onProgress?: (progress: RowProgress) => void
}
export type RestoredRows = { rows: number; resumed: boolean }

/**
 * Restores the rows of a backup that was checked into an empty database. Each chunk is a transaction that also advances the progress,
 * so an interrupted restore continues when it is run again. `finishRestore` must follow.
 */
export const restoreRows = async (
  db: Database,
  backup: Backup,
  { totals, onProgress = () => undefined }: RestoreOptions,
): Promise<RestoredRows> => {
  const started = await claim(db, backup.archiveId)
  const allRows = totals.values().reduce((sum, { rows }) => sum + rows, 0)
  let rows = 0
  if (!started.verifiedAt) {
    for await (const chunk of readAhead(backup.chunks())) {
      if (chunk.number >= started.nextChunk) await applyChunk(db, backup.archiveId, chunk)
      rows += chunk.lines.length
      onProgress({ table: chunk.table, rows, allRows })
    }
    await compareRows(db, totals, onProgress)
  }
  return { rows: allRows, resumed: started.nextChunk > 0 }
}

/** Starts the restore, or continues one of the same backup. */
const claim = (db: Database, backupId: Buffer): Promise<StartedRestore> =>
  db.transaction(async tx => {
    if (await restoreStore.isServiceRunning(tx))
      throw new ArchiveRefusal(
        'The service is running on this database. Stop it before you restore a backup.',
      )
    const started = await restoreStore.lock(tx)
    if (started?.backupId.equals(backupId)) return started
    if (started)
      throw new ArchiveRefusal(
        'A restore of another backup into this database was interrupted. Continue it with that backup, or restore into a new database.',
      )
    const tables = BACKED_UP_TABLES.map(({ name }) => name).filter(name => !INITIAL_TABLES.includes(name))
    const filled = await tableRowsStore.filled(tx, tables)
    if (filled.length > 0)
      throw new ArchiveRefusal(
        `The database is not empty: there are rows in ${filled.join(', ')}. Restore into a new database; nothing is merged or replaced.`,
      )
    for (const table of INITIAL_TABLES) await tableRowsStore.clear(tx, table)
    return restoreStore.start(tx, backupId)
  })

const applyChunk = async (
  db: Database,
  backupId: Buffer,
  { table, columns, lines, number }: RowChunk & { number: number },
): Promise<void> => {
  if (!BACKED_UP_TABLES.some(({ name }) => name === table))
    throw new ImportFailure(`The backup contains the unknown table ${table}.`)
  if (table === 'tool_calls') await createRecordPartitions(db, periodsOf(columns, lines))
  await db.transaction(async tx => {
    if (!(await restoreStore.advance(tx, backupId, number)))
      throw new ImportFailure('Another restore into this database is running.')
    await tableRowsStore.insert(tx, { table, columns, lines })
  })
}

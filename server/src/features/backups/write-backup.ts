import type { WriteBytes } from '../../platform/archive/archive-file.ts'
import { FORMAT_VERSION } from '../../platform/archive/archive-format.ts'
import { ArchiveRefusal } from '../../platform/archive/archive-refusal.ts'
import { startArchive } from '../../platform/archive/archive-writer.ts'
import { readAhead } from '../../platform/archive/read-ahead.ts'
import type { Database, Queryable } from '../../platform/database/database.ts'
import { readSchemaVersion } from '../../platform/database/migrate.ts'
import { startSnapshot } from '../../platform/database/snapshot.ts'
import type { VaultKeyRing } from '../../platform/vault/key-ring.ts'
import type { DataKey } from '../../platform/vault/sealing.ts'
import { countMissingVaultKeys } from '../../platform/vault/vault.ts'
import type { RowProgress } from '../portability/export-organization.ts'
import { BACKED_UP_TABLES } from './backed-up-tables.ts'
import { BACKUP, type BackupHeader } from './backup-format.ts'
import { createTableReader } from './read-table.ts'

type BackupOptions = {
  key: DataKey
  /** The version of Carabiner. */
  version: string
  write: WriteBytes
  onProgress?: (progress: RowProgress) => void
}
export type BackupResult = { rows: number; backupId: Buffer }

/**
 * Writes all rows of the database as an encrypted file, as of one moment. Secrets stay encrypted as they are in the database, so the
 * backup is useless without the vault key, which it does not contain.
 */
export const writeBackup = (
  { db, ring }: { db: Database; ring: VaultKeyRing },
  { key, version, write, onProgress = () => undefined }: BackupOptions,
): Promise<BackupResult> =>
  db.transaction(async tx => {
    await startSnapshot(tx)
    await requireVaultKeys(tx, ring)
    const backup = await startArchive<BackupHeader>(BACKUP, {
      header: {
        format: FORMAT_VERSION,
        created_at: new Date().toISOString(),
        version,
        engine: db.engine,
        schema: await readSchemaVersion(tx),
      },
      key,
      tables: BACKED_UP_TABLES.map(({ name }) => name),
      write,
    })
    const readTable = await createTableReader(tx)
    let rows = 0
    for (const table of BACKED_UP_TABLES)
      for await (const chunk of readAhead(readTable(table))) {
        await backup.append(chunk)
        rows += chunk.lines.length
        onProgress({ table: table.name, rows, allRows: null })
      }
    await backup.end()
    return { rows, backupId: backup.archiveId }
  })

const requireVaultKeys = async (tx: Queryable, ring: VaultKeyRing): Promise<void> => {
  const missing = await countMissingVaultKeys(tx, ring)
  if (missing > 0)
    throw new ArchiveRefusal(
      `${missing} vault ${missing === 1 ? 'key' : 'keys'} that this database needs ${missing === 1 ? 'is' : 'are'} not in ${ring.source}, so a restored backup could not be used with it. Put the missing key back first.`,
    )
}

import type { BackupHeader } from '../../src/features/backups/backup-format.ts'
import { BACKUP } from '../../src/features/backups/backup-format.ts'
import { checkBackup } from '../../src/features/backups/check-backup.ts'
import { finishRestore, openRestored } from '../../src/features/backups/finish-restore.ts'
import { type RestoredRows, restoreRows } from '../../src/features/backups/restore-backup.ts'
import { writeBackup } from '../../src/features/backups/write-backup.ts'
import { openArchive } from '../../src/platform/archive/archive-reader.ts'
import type { Database } from '../../src/platform/database/database.ts'
import { readSchemaVersion } from '../../src/platform/database/migrate.ts'
import type { Tombstone } from '../../src/platform/tombstone-log.ts'
import type { VaultKeyRing } from '../../src/platform/vault/key-ring.ts'
import { type DataKey, newDataKey } from '../../src/platform/vault/sealing.ts'
import { memorySource } from './archives.ts'
import { runSql } from './run-sql.ts'

type Deps = { db: Database; ring: VaultKeyRing }

/** A backup in memory instead of a file. */
export type TestBackup = { bytes: Buffer; key: DataKey }

export const backUpToMemory = async (
  deps: Deps,
  afterWrite: (count: number) => Promise<void> = async () => undefined,
): Promise<TestBackup> => {
  const key = newDataKey()
  const parts: Buffer[] = []
  const write = async (bytes: Buffer) => {
    parts.push(bytes)
    await afterWrite(parts.length)
  }
  await writeBackup(deps, { key, version: '0.0.0', write })
  return { bytes: Buffer.concat(parts), key }
}

export const openBackup = ({ bytes, key }: TestBackup) =>
  openArchive<BackupHeader>(memorySource(bytes), BACKUP, () => key)

type RestoreOptions = { deletedUsers?: Tombstone[]; rewraps?: boolean }

/** Checks the backup and restores it, as the command does. */
export const restoreFromMemory = async (
  { db, ring }: Deps,
  archive: TestBackup,
  { deletedUsers = [], rewraps = false }: RestoreOptions = {},
): Promise<RestoredRows & { deletedUsers: number }> => {
  const backup = await openBackup(archive)
  const totals = await checkBackup(backup, { schema: await readSchemaVersion(db), ring })
  const restored = await restoreRows(db, backup, { totals })
  const vault = await openRestored(db, ring, { rewraps })
  return { ...restored, deletedUsers: await finishRestore({ db, vault }, deletedUsers) }
}

/** All rows of the database by table, as text, without transactions of the database. */
export const readDatabase = async (db: Database): Promise<Record<string, string[]>> => {
  const found: Record<string, string[]> = {}
  const tables = await runSql<{ name: string; columns: string }>(
    db,
    `select table_name as name, string_agg(format('%I', name), ', ' order by position) as columns from own_columns
     group by table_name order by table_name`,
  )
  for (const { name, columns } of tables) {
    const rows = await runSql<{ line: string }>(
      db,
      `select row(${columns})::text as line from ${name} order by row(${columns})::text collate "C"`,
    )
    found[name] = rows.map(({ line }) => line)
  }
  return found
}

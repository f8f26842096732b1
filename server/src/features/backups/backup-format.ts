import type { ArchiveHeader, ArchiveKind } from '../../platform/archive/archive-format.ts'
import type { OpenArchive } from '../../platform/archive/archive-reader.ts'
import type { Database } from '../../platform/database/database.ts'

export const BACKUP: ArchiveKind = { name: 'backup', title: 'a backup of Carabiner' }

export type BackupHeader = ArchiveHeader & {
  /** The version of Carabiner that made the backup. */
  version: string
  engine: Database['engine']
}

export type Backup = OpenArchive<BackupHeader>

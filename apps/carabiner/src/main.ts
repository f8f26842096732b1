import { readVersion, runProcess } from '@carabiner/cli'
import { createFullProgram } from './create-program.ts'

/** Errors of the service that an operator can fix. Their names are known without loading the service. */
const EXPECTED_ERRORS = [
  'ConfigError',
  'VaultKeyError',
  'FolderInUse',
  'FolderUnusable',
  'FolderNotPrivate',
  'MigrationError',
  'CatalogError',
  'ArchiveRefusal',
  'ImportFailure',
  'CellMapError',
  'UnfinishedRestore',
  'KeyServiceError',
  'TombstoneLogError',
]

process.umask(0o077)
await runProcess(createFullProgram, { version: readVersion(), expectedErrors: EXPECTED_ERRORS })

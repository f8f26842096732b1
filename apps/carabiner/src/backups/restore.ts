import { type CliContext, CommandError, type Output, type ProgressReporter, UsageError } from '@carabiner/cli'
import {
  archiveFileSource,
  BACKUP,
  type BackupHeader,
  type Config,
  checkBackup,
  type Database,
  finishRestore,
  fixedKeyRing,
  joinKeyRings,
  knownSchemaVersion,
  migrate,
  openArchive,
  openExistingKeyRing,
  openRestored,
  openVaultFor,
  readConfig,
  readSchemaVersion,
  readVaultKeyFile,
  replayTombstones,
  restoreRows,
  revokeDevelopmentKeys,
  SERVICE_CHAIN,
  type Tombstone,
  type VaultKeyRing,
} from '@carabiner/server/operator'
import { recordCommand } from '../database/record-command.ts'
import { withDatabase, withLongStatements, withMigrated } from '../database/with-database.ts'
import { keyFileOf, readDeletedUsers, requireArchiveKey } from './archive-output.ts'

type Report = ProgressReporter['report']

export type RestoreOptions = {
  check?: boolean
  onlyDeletedUsers?: boolean
  keyFile?: string
  vaultKeyFile?: string
  deletedUsers?: string[]
  acceptMissingTombstones?: boolean
}

export const runRestore = async (
  { environment, report }: Pick<CliContext, 'environment' | 'report'>,
  file: string | undefined,
  options: RestoreOptions,
): Promise<Output> => {
  if ((file === undefined) !== Boolean(options.onlyDeletedUsers))
    throw new UsageError('Use either the file of a backup or --only-deleted-users.')
  const config = withLongStatements(readConfig(environment))
  const logs: DeletionLogs = {
    own: config.tombstonePath,
    others: options.deletedUsers ?? [],
    mayBeMissing: options.acceptMissingTombstones ?? false,
  }
  if (file === undefined) return withMigrated(config, db => deleteUsersAgain({ config, db }, logs))
  const source = archiveFileSource(file)
  const key = requireArchiveKey(keyFileOf(file, options))
  const backup = await openArchive<BackupHeader>(source, BACKUP, () => key)
  const ring = await openRing(config, options.vaultKeyFile)
  const request: RestoreRequest = { backup, ring, rewraps: options.vaultKeyFile !== undefined, report }
  if (options.check) return check(request)
  return withDatabase(config, db => restore({ config, db }, request, logs))
}

type RestoreRequest = {
  backup: Awaited<ReturnType<typeof openArchive<BackupHeader>>>
  ring: VaultKeyRing
  rewraps: boolean
  report: Report
}

/** The vault key of this installation, and the one of the backup if it is another. */
const openRing = async (config: Config, path: string | undefined): Promise<VaultKeyRing> => {
  const own = await openExistingKeyRing(config)
  if (!own)
    throw new CommandError(
      `There is no vault key at ${config.keyFile}. Copy the vault key that was in use when the backup was made to KEY_FILE. To use another one, create it with \`carabiner vault-key create\`, and name the key of the backup with --vault-key-file.`,
    )
  if (path === undefined) return own
  const keys = readVaultKeyFile(path)
  if (!keys) throw new CommandError(`There is no file ${path}.`)
  return joinKeyRings(own, fixedKeyRing(keys, { production: false }, path))
}

const check = async ({ backup, ring, report }: RestoreRequest): Promise<Output> => {
  const totals = await checkBackup(backup, { schema: await knownSchemaVersion(), ring, onProgress: report })
  const rows = totals.values().reduce((sum, total) => sum + total.rows, 0)
  const { created_at: createdAt, version, engine } = backup.header
  return {
    text: `The backup of ${createdAt} (Carabiner ${version}, ${engine}) is complete, with ${rows} rows. Both keys decrypt it. Nothing was restored.`,
    data: { created_at: createdAt, version, engine, rows },
  }
}

const restore = async (
  { config, db }: { config: Config; db: Database },
  { backup, ring, rewraps, report }: RestoreRequest,
  logs: DeletionLogs,
): Promise<Output> => {
  const deletedUsers = await readDeletionLogs(logs)
  await migrate(db, { apply: config.migrate })
  const totals = await checkBackup(backup, { schema: await readSchemaVersion(db), ring, onProgress: report })
  const { rows, resumed } = await restoreRows(db, backup, { totals, onProgress: report })
  const vault = await openRestored(db, ring, { rewraps })
  const deleted = await recordCommand(
    { db, vault },
    {
      organizationId: SERVICE_CHAIN,
      command: 'restore',
      action: 'service.restored',
      describe: () => ({
        target: { type: 'service', id: null },
        changes: [{ field: 'backup', to: backup.header.created_at }],
      }),
    },
    () => finishRestore({ db, vault }, deletedUsers),
  )
  // As when the service starts: a key that was printed in development must not work in production.
  if (!config.development) await revokeDevelopmentKeys({ db, signer: vault.signer })
  return {
    text: [
      `Restored the backup of ${backup.header.created_at}${resumed ? ', continuing an interrupted restore' : ''}: ${rows} rows, equal to those of the backup.`,
      describeDeleted(deleted),
      'Changes after the backup are lost: API keys that were revoked since are valid again, and tokens that providers have rotated since must be linked again.',
    ].join('\n'),
    data: { created_at: backup.header.created_at, rows, resumed, deleted_users: deleted },
  }
}

/** After a restore with another program. */
const deleteUsersAgain = async (
  { config, db }: { config: Config; db: Database },
  logs: DeletionLogs,
): Promise<Output> => {
  const deletedUsers = await readDeletionLogs(logs)
  const vault = await openVaultFor(config, db)
  const deleted = await recordCommand(
    { db, vault },
    { organizationId: SERVICE_CHAIN, command: 'restore', action: 'service.deletions_replayed' },
    () => replayTombstones({ db, vault }, deletedUsers),
  )
  return { text: describeDeleted(deleted), data: { deleted_users: deleted } }
}

const describeDeleted = (deleted: number): string =>
  `${deleted} ${deleted === 1 ? 'user was' : 'users were'} deleted again, because the deleted-user log contains them.`

type DeletionLogs = {
  /** The log at TOMBSTONE_PATH. */
  own: string
  /** Files, or folders of files. */
  others: string[]
  mayBeMissing: boolean
}

const readDeletionLogs = async ({ own, others, mayBeMissing }: DeletionLogs): Promise<Tombstone[]> => {
  const found = await readDeletedUsers(own)
  if (!found && !mayBeMissing) throw missingLog(own)
  const named = others.map(async path => (await readDeletedUsers(path)) ?? Promise.reject(missingLog(path)))
  return [...(found ?? []), ...(await Promise.all(named)).flat()]
}

const missingLog = (path: string): CommandError =>
  new CommandError(
    `There is no deleted-user log at ${path}. Copy it from the machine that ran the service, so that users who were deleted after the backup stay deleted (TOMBSTONE_PATH). If no user was deleted since, use --accept-missing-tombstones.`,
  )

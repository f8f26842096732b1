import { parseArgs } from 'node:util'
import type { ProgressReporter } from '@carabiner/cli'
import { type Output, UsageError } from '@carabiner/cli'
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
  type VaultKeyRing,
} from '@carabiner/server/operator'
import { keyFileOf, readDeletedUsers, requireArchiveKey } from '../archive-output.ts'
import { helpOn } from '../help.ts'
import { recordCommand } from '../operator.ts'
import { withDatabase, withLongStatements, withMigrated } from '../with-database.ts'

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  check: { type: 'boolean' },
  'only-deleted-users': { type: 'boolean' },
  'key-file': { type: 'string' },
  'vault-key-file': { type: 'string' },
  'deleted-users': { type: 'string', multiple: true },
} as const

type Environment = Record<string, string | undefined>
type Report = ProgressReporter['report']

export const runRestore = async (
  args: string[],
  environment: Environment,
  report: Report = () => undefined,
): Promise<Output> => {
  const { values, positionals } = parse(args)
  if (values.help) return { text: helpOn('restore'), data: null }
  const [file, ...others] = positionals
  if ((file === undefined) !== Boolean(values['only-deleted-users']) || others.length > 0)
    throw new UsageError(helpOn('restore'))
  const config = withLongStatements(readConfig(environment))
  const logs = [config.tombstonePath, ...(values['deleted-users'] ?? [])]
  if (file === undefined) return withMigrated(config, db => deleteUsersAgain({ config, db }, logs))
  const source = archiveFileSource(file)
  const backup = await openArchive<BackupHeader>(source, BACKUP, requireArchiveKey(keyFileOf(file, values)))
  const ring = await openRing(config, values['vault-key-file'])
  const request: RestoreRequest = { backup, ring, rewraps: values['vault-key-file'] !== undefined, report }
  if (values.check) return check(request)
  return withDatabase(config, db => restore({ config, db }, request, logs))
}

const parse = (args: string[]) => {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${helpOn('restore')}`)
  }
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
    throw new UsageError(
      `There is no vault key at ${config.keyFile}. Copy the vault key that was in use when the backup was made to KEY_FILE. To use another one, create it with \`carabiner keys create\`, and name the key of the backup with --vault-key-file.`,
    )
  if (path === undefined) return own
  const keys = readVaultKeyFile(path)
  if (!keys) throw new UsageError(`There is no file ${path}.`)
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
  logs: string[],
): Promise<Output> => {
  const deletedUsers = (await Promise.all(logs.map(requireDeletedUsers))).flat()
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
  logs: string[],
): Promise<Output> => {
  const deletedUsers = (await Promise.all(logs.map(requireDeletedUsers))).flat()
  const vault = await openVaultFor(config, db)
  const deleted = await recordCommand(
    { db, vault },
    { organizationId: SERVICE_CHAIN, command: 'restore', action: 'service.deletions_replayed' },
    () => replayTombstones({ db, vault }, deletedUsers),
  )
  return { text: describeDeleted(deleted), data: { deleted_users: deleted } }
}

const describeDeleted = (deleted: number): string =>
  `${deleted} ${deleted === 1 ? 'user was' : 'users were'} deleted again, because the log of deleted users contains them.`

const requireDeletedUsers = async (path: string) => {
  const users = await readDeletedUsers(path)
  if (!users)
    throw new UsageError(
      `There is no log of deleted users at ${path}. Copy it from the machine that ran the service, so that users who were deleted after the backup stay deleted (TOMBSTONE_PATH). If no user was deleted since, create an empty file there.`,
    )
  return users
}

import { collect, type RegisterCommands, runs, topCommand } from '@carabiner/cli'
import type { RestoreOptions } from './restore.ts'
import type { BackupOptions } from './write-backup.ts'

export const registerBackups: RegisterCommands = (program, context) => {
  topCommand(
    program,
    'backup',
    'operators',
    'Write the whole database to an encrypted file; the vault key is never in it',
  )
    .requiredOption('--to <file>', 'the file to write')
    .option('--key-file <file>', 'key of the file; created if it does not exist (default: FILE.key)')
    .examples('carabiner backup --to carabiner-2030-01-31.backup --key-file /secure/backup.key')
    .action(
      runs(context, async (options: BackupOptions) =>
        (await import('./write-backup.ts')).runBackup(context, options),
      ),
    )
  topCommand(
    program,
    'restore',
    'operators',
    'Restore a backup into an empty database; continues an interrupted restore',
  )
    .argument('[file]', 'the file of the backup')
    .option('--key-file <file>', 'key of the backup (default: FILE.key)')
    .option('--vault-key-file <file>', 'vault key of the backup, if this installation has a different one')
    .option(
      '--deleted-users <path>',
      'another deleted-user log, or a folder of logs, in addition to TOMBSTONE_PATH; may be repeated',
      collect,
    )
    .option(
      '--accept-missing-tombstones',
      'restore without the log at TOMBSTONE_PATH: users who were deleted since the backup come back',
    )
    .option('--check', 'only check that the backup is complete and that both keys decrypt it')
    .option('--only-deleted-users', 'after a restore with another program: delete the users in the log again')
    .examples(
      'carabiner restore carabiner-2030-01-31.backup --key-file /secure/backup.key --check',
      'carabiner restore carabiner-2030-01-31.backup --key-file /secure/backup.key',
      'carabiner restore --only-deleted-users',
    )
    .action(
      runs(context, async (file: string | undefined, options: RestoreOptions) =>
        (await import('./restore.ts')).runRestore(context, file, options),
      ),
    )
}

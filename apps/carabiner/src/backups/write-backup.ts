import { createHash } from 'node:crypto'
import type { CliContext, Output, ProgressReporter } from '@carabiner/cli'
import {
  type Config,
  type Database,
  openKeyRing,
  openVaultFor,
  readConfig,
  SERVICE_CHAIN,
  VERSION,
  writeBackup,
} from '@carabiner/server/operator'
import { recordCommand } from '../database/record-command.ts'
import { withLongStatements, withMigrated } from '../database/with-database.ts'
import { keyFileOf, writeEncrypted } from './archive-output.ts'

export type BackupOptions = { to: string; keyFile?: string }

export const runBackup = (
  { environment, report }: Pick<CliContext, 'environment' | 'report'>,
  options: BackupOptions,
): Promise<Output> => {
  const config = withLongStatements(readConfig(environment))
  const { to } = options
  return withMigrated(config, db =>
    backUp({ config, db }, { to, keyFile: keyFileOf(to, options), onProgress: report }),
  )
}

type Target = { to: string; keyFile: string; onProgress: ProgressReporter['report'] }

const backUp = async (
  { config, db }: { config: Config; db: Database },
  { to, keyFile, onProgress }: Target,
): Promise<Output> => {
  // Rejects a wrong vault key.
  const vault = await openVaultFor(config, db)
  const ring = await openKeyRing(config, db)
  const checksum = createHash('sha256')
  let bytes = 0
  const { result, keyCreated } = await recordCommand(
    { db, vault },
    { organizationId: SERVICE_CHAIN, command: 'backup', action: 'service.backed_up' },
    () =>
      writeEncrypted(to, keyFile, (key, append) =>
        writeBackup(
          { db, ring },
          {
            key,
            version: VERSION,
            onProgress,
            write: async part => {
              checksum.update(part)
              bytes += part.length
              await append(part)
            },
          },
        ),
      ),
  )
  const sha256 = checksum.digest('hex')
  return {
    text: [
      `Backed up ${result.rows} rows to ${to} (${bytes} bytes, SHA-256 ${sha256}).`,
      '',
      'A restore also needs both of these keys. Without them, the backup is useless:',
      `  - ${keyFile}, ${keyCreated ? 'the new key' : 'the key'} of this file.`,
      `  - the vault key (${ring.source}), which is never in a backup.`,
      'Store each of the three in a different place.',
    ].join('\n'),
    data: {
      file: to,
      key_file: keyFile,
      key_created: keyCreated,
      rows: result.rows,
      bytes,
      sha256,
    },
  }
}

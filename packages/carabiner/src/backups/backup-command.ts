import { createHash } from 'node:crypto'
import { parseArgs } from 'node:util'
import type { ProgressReporter } from '@carabiner/cli'
import { type Output, UsageError } from '@carabiner/cli'
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
import { keyFileOf, writeEncrypted } from '../archive-output.ts'
import { helpOn } from '../help.ts'
import { recordCommand } from '../operator.ts'
import { withLongStatements, withMigrated } from '../with-database.ts'

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  to: { type: 'string' },
  'key-file': { type: 'string' },
} as const

type Environment = Record<string, string | undefined>

export const runBackup = async (
  args: string[],
  environment: Environment,
  report: ProgressReporter['report'] = () => undefined,
): Promise<Output> => {
  const { values, positionals } = parse(args)
  if (values.help) return { text: helpOn('backup'), data: null }
  const { to } = values
  if (to === undefined || positionals.length > 0) throw new UsageError(helpOn('backup'))
  const config = withLongStatements(readConfig(environment))
  return withMigrated(config, db =>
    backUp({ config, db }, { to, keyFile: keyFileOf(to, values), onProgress: report }),
  )
}

const parse = (args: string[]) => {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${helpOn('backup')}`)
  }
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

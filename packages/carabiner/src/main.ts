import type { FailingOutput } from '@carabiner/cli'
import { createProgressReporter, openTerminal, runExplain, runLogs, runWebhooks } from '@carabiner/cli'
import { VERSION } from '@carabiner/server/operator'
import { runAudit } from './audit/audit-command.ts'
import { runBackup } from './backups/backup-command.ts'
import { runRestore } from './backups/restore-command.ts'
import { runCommand, UsageError } from './commands.ts'
import { runConnectors } from './connectors/connectors-command.ts'
import { runDoctor, runSupportBundle } from './doctor/doctor-command.ts'
import { runCells } from './organizations/cells-command.ts'
import { runMove } from './organizations/org-move.ts'
import { runPeople } from './people/people-command.ts'

const args = process.argv.slice(2)
const json = args.includes('--json')
const reporter = createProgressReporter(process.stderr, { json })

/** Null: the command has printed its result already. */
const run = async (): Promise<FailingOutput | null> => {
  const [noun, ...rest] = args
  if (noun === 'start') return startService()
  if (noun === '--version' || noun === '-v') return { text: VERSION, data: { version: VERSION } }
  if (noun === 'connectors') return runConnectors(rest, process.env)
  if (noun === 'audit') return runAudit(rest, process.env, reporter.report)
  if (noun === 'cells') return runCells(rest, process.env)
  if (noun === 'doctor') return runDoctor(rest, process.env)
  if (noun === 'support-bundle') return runSupportBundle(rest, process.env)
  if (noun === 'backup') return runBackup(rest, process.env, reporter.report)
  if (noun === 'restore') return runRestore(rest, process.env, reporter.report)
  if (noun === 'org' && rest[0] === 'move') return runMove(rest.slice(1), process.env, reporter.report)
  if (noun === 'people') return runPeople(rest, process.env)
  if (noun === 'webhooks') return runWebhooks(rest, process.env, openTerminal(process))
  if (noun === 'logs') return runLogs(rest, process.env, openTerminal(process))
  if (noun === 'explain') return runExplain(rest, process.env)
  return runCommand(args, process.env, reporter.report)
}

/** Runs until a signal stops it. It reads its settings from the environment. */
const startService = async (): Promise<null> => {
  await import('@carabiner/server/main')
  return null
}

process.umask(0o077)

try {
  const output = await run()
  reporter.end()
  if (output?.failed) process.exitCode = 1
  if (output?.exitCode !== undefined) process.exitCode = output.exitCode
  if (output) process.stdout.write(json ? `${JSON.stringify(output.data)}\n` : `${output.text}\n`)
} catch (error) {
  reporter.end()
  const expected =
    error instanceof UsageError ||
    /^(ConfigError|VaultKeyError|FolderInUse|FolderUnusable|FolderNotPrivate|MigrationError|CatalogError|ArchiveRefusal|ImportFailure|CellMapError|UnfinishedRestore|KeyServiceError)$/.test(
      (error as Error).name,
    )
  process.stderr.write(`${expected ? (error as Error).message : ((error as Error).stack ?? String(error))}\n`)
  process.exitCode = 1
}

import { readFileSync } from 'node:fs'
import { runLogs } from './events/logs-command.ts'
import { openTerminal } from './events/terminal.ts'
import { runWebhooks } from './events/webhooks-command.ts'
import { runExplain } from './explain/explain-command.ts'
import { helpOn } from './help.ts'
import { type FailingOutput, UsageError } from './output.ts'

const args = process.argv.slice(2)
const json = args.includes('--json')

const readVersion = (): string =>
  (JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8')) as { version: string })
    .version

/** Null: the command has printed its result already. */
const run = async (): Promise<FailingOutput | null> => {
  const [noun, ...rest] = args
  if (noun === '--version' || noun === '-v') return { text: readVersion(), data: { version: readVersion() } }
  if (noun === 'webhooks') return runWebhooks(rest, process.env, openTerminal(process))
  if (noun === 'logs') return runLogs(rest, process.env, openTerminal(process))
  if (noun === 'explain') return runExplain(rest, process.env)
  if (noun === undefined || noun === '--help' || noun === '-h') return { text: helpOn(), data: null }
  throw new UsageError(`There is no command "${noun}".\n\n${helpOn()}`)
}

try {
  const output = await run()
  if (output?.failed) process.exitCode = 1
  if (output?.exitCode !== undefined) process.exitCode = output.exitCode
  if (output) process.stdout.write(json ? `${JSON.stringify(output.data)}\n` : `${output.text}\n`)
} catch (error) {
  const expected = error instanceof UsageError
  process.stderr.write(`${expected ? error.message : ((error as Error).stack ?? String(error))}\n`)
  process.exitCode = 1
}

import { parseArgs } from 'node:util'
import { runAudit } from './audit-command.ts'
import { runCommand, UsageError } from './commands.ts'
import { runConnectors } from './connectors-command.ts'
import type { FailingOutput } from './output.ts'
import { createTeller } from './tell-progress.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' }, calls: { type: 'string' } },
})
const words = [...positionals, ...(values.calls === undefined ? [] : ['--calls', String(values.calls)])]
const teller = createTeller(process.stderr, { json: values.json === true })

process.umask(0o077)

try {
  const run = async (): Promise<FailingOutput> => {
    const [noun] = positionals
    if (noun === 'connectors') return runConnectors(process.argv.slice(3), process.env)
    if (noun === 'audit') return runAudit(process.argv.slice(3), process.env, teller.tell)
    return runCommand(values.help ? [] : words, process.env, teller.tell)
  }
  const output = await run()
  teller.end()
  if (output.failed) process.exitCode = 1
  process.stdout.write(values.json ? `${JSON.stringify(output.data)}\n` : `${output.text}\n`)
} catch (error) {
  teller.end()
  const expected =
    error instanceof UsageError ||
    /^(ConfigError|VaultKeyError|FolderInUse|FolderNotPrivate|MigrationError|CatalogueError)$/.test(
      (error as Error).name,
    )
  process.stderr.write(`${expected ? (error as Error).message : ((error as Error).stack ?? String(error))}\n`)
  process.exitCode = 1
}

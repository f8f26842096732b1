import { parseArgs } from 'node:util'
import { runCommand, UsageError } from './commands.ts'
import { type ConnectorsOutput, runConnectors } from './connectors-command.ts'
import { createTeller } from './tell-progress.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' }, calls: { type: 'string' } },
})
const words = [...positionals, ...(values.calls === undefined ? [] : ['--calls', String(values.calls)])]
const teller = createTeller(process.stderr, { json: values.json === true })

try {
  const output: ConnectorsOutput =
    positionals[0] === 'connectors'
      ? runConnectors(process.argv.slice(3), process.env)
      : await runCommand(values.help ? [] : words, process.env, teller.tell)
  teller.end()
  if (output.failed) process.exitCode = 1
  process.stdout.write(values.json ? `${JSON.stringify(output.data)}\n` : `${output.text}\n`)
} catch (error) {
  teller.end()
  const expected =
    error instanceof UsageError ||
    /^(ConfigError|VaultKeyError|FolderInUse|MigrationError|CatalogueError)$/.test((error as Error).name)
  process.stderr.write(`${expected ? (error as Error).message : ((error as Error).stack ?? String(error))}\n`)
  process.exitCode = 1
}

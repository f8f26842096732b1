import { parseArgs } from 'node:util'
import { runCommand } from './commands.ts'
import { type ConnectorsOutput, runConnectors } from './connectors-command.ts'
import { UsageError } from './usage-error.ts'

const { positionals, values } = parseArgs({
  allowPositionals: true,
  strict: false,
  options: { help: { type: 'boolean', short: 'h' }, json: { type: 'boolean' } },
})

try {
  const output: ConnectorsOutput =
    positionals[0] === 'connectors'
      ? runConnectors(process.argv.slice(3), process.env)
      : await runCommand(values.help ? [] : positionals, process.env)
  if (output.failed) process.exitCode = 1
  process.stdout.write(values.json ? `${JSON.stringify(output.data)}\n` : `${output.text}\n`)
} catch (error) {
  const expected =
    error instanceof UsageError ||
    /^(ConfigError|VaultKeyError|FolderInUse|MigrationError|CatalogueError)$/.test((error as Error).name)
  process.stderr.write(`${expected ? (error as Error).message : ((error as Error).stack ?? String(error))}\n`)
  process.exitCode = 1
}

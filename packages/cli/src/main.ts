import { wrap } from './program/create-program.ts'
import { runProcess } from './program/run-program.ts'
import { readVersion } from './read-version.ts'
import { createProgram } from './register-commands.ts'

process.umask(0o077)
const HINT =
  'The package `carabiner` adds the operator commands: init, start, dev, org, people, backup and others.'

await runProcess(context => createProgram(context).addHelpText('after', () => `\n${wrap(context, HINT)}`), {
  version: readVersion(),
})

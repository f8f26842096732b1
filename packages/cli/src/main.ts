import { runProcess } from './program/run-program.ts'
import { readVersion } from './read-version.ts'
import { createProgram } from './register-commands.ts'

process.umask(0o077)
const HINT =
  '\nThe package `carabiner` adds the commands of operators: init, start, dev, org, people, backup and others.'

await runProcess(context => createProgram(context).addHelpText('after', HINT), { version: readVersion() })

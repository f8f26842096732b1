import { runProcess } from './program/run-program.ts'
import { readVersion } from './read-version.ts'
import { createProgram } from './register-commands.ts'

process.umask(0o077)
await runProcess(createProgram, { version: readVersion() })

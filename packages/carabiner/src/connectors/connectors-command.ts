import { parseArgs } from 'node:util'
import { type FailingOutput, UsageError } from '@carabiner/cli'
import { runCheck } from './connectors-check.ts'
import { CONNECTORS_HELP } from './connectors-help.ts'
import { runImport } from './connectors-import.ts'

type Environment = Record<string, string | undefined>

const OPTIONS = {
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
  out: { type: 'string' },
  slug: { type: 'string' },
  name: { type: 'string' },
  server: { type: 'string' },
  identity: { type: 'string' },
  auth: { type: 'string' },
  include: { type: 'string', multiple: true },
  max: { type: 'string' },
  force: { type: 'boolean' },
} as const

/** `carabiner connectors …`: works on files only, without the database or the vault key. */
export const runConnectors = (args: string[], environment: Environment): FailingOutput => {
  const { values, positionals } = parse(args)
  const [verb, ...paths] = positionals
  if (values.help || verb === undefined) return { text: CONNECTORS_HELP, data: null }
  const ownFolder = environment.CONNECTORS_DIRECTORY?.trim() || undefined
  switch (verb) {
    case 'check':
      return runCheck(paths, ownFolder)
    case 'import':
      return runImport(paths, values, ownFolder)
    default:
      throw new UsageError(`There is no command "connectors ${verb}".\n\n${CONNECTORS_HELP}`)
  }
}

const parse = (args: string[]) => {
  try {
    return parseArgs({ args, allowPositionals: true, options: OPTIONS })
  } catch (error) {
    throw new UsageError(`${(error as Error).message}\n\n${CONNECTORS_HELP}`)
  }
}

import { readFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { type CliContext, type RegisterCommands, UsageError } from '@carabiner/cli'

/**
 * `--settings FILE`: settings of the service, as `carabiner init` writes them. Variables of the environment have precedence.
 * A file is never read without this option, because a setting may name a module to run.
 */
export const registerSettings: RegisterCommands = (program, context) => {
  program
    .option(
      '--settings <file>',
      'settings of the service for operator commands, such as carabiner.env (default: CARABINER_SETTINGS)',
    )
    .hook('preAction', (_program, command) => {
      const { settings } = command.optsWithGlobals<{ settings?: string }>()
      const path = settings ?? context.environment.CARABINER_SETTINGS
      if (path) applySettings(context, path)
    })
}

const applySettings = ({ environment }: Pick<CliContext, 'environment'>, path: string): void => {
  let text: string
  try {
    text = readFileSync(path, 'utf8')
  } catch (error) {
    throw new UsageError(`${path} cannot be read: ${(error as NodeJS.ErrnoException).code}.`)
  }
  for (const [name, value] of Object.entries(parseEnv(text))) environment[name] ??= value
}

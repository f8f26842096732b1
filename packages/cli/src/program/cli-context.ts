import { type FailingOutput, UsageError } from '../terminal/output.ts'
import type { ProgressReporter } from '../terminal/progress-reporter.ts'
import type { Prompts } from '../terminal/prompts.ts'
import type { Screen } from '../terminal/screen.ts'
import type { Terminal } from '../terminal/terminal.ts'
import type { CliCommand } from './cli-command.ts'

export type Environment = Record<string, string | undefined>

/** Options of every command. */
export type GlobalOptions = { json?: boolean; profile?: string; verbose?: boolean }

/** What a command uses of the process that runs it. */
export type CliContext = {
  environment: Environment
  version: string
  terminal: Terminal
  screen: Screen
  prompts: Prompts
  report: ProgressReporter['report']
  /** Prints help and the version. */
  writeHelp(text: string): void
  /** Known when a command runs. */
  globals: GlobalOptions
  /** The output of the command. Null: the command has printed it already. */
  result: FailingOutput | null
}

type Run<Args extends unknown[]> = (...args: Args) => Promise<FailingOutput | null> | FailingOutput | null

/** The action of a command. commander passes the arguments, then the options, then the command. */
export const runs =
  <Args extends unknown[]>(context: CliContext, run: Run<Args>) =>
  async (...args: unknown[]): Promise<void> => {
    try {
      context.result = await run(...(args.slice(0, -1) as Args))
    } catch (error) {
      if (error instanceof UsageError) (args.at(-1) as CliCommand).error(error.message)
      throw error
    }
  }

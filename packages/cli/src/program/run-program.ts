import { CommanderError } from 'commander'
import { CommandError, EXIT_FAILURE, type FailingOutput } from '../terminal/output.ts'
import { createProgressReporter } from '../terminal/progress-reporter.ts'
import { openPrompts } from '../terminal/prompts.ts'
import { openScreen } from '../terminal/screen.ts'
import { openTerminal } from '../terminal/terminal.ts'
import type { CliCommand } from './cli-command.ts'
import type { CliContext } from './cli-context.ts'

export type BuildProgram = (context: CliContext) => CliCommand

/** Runs one command. Returns its output, or null if it has printed it already. */
export const runCommand = async (
  build: BuildProgram,
  args: readonly string[],
  context: CliContext,
): Promise<FailingOutput | null> => {
  try {
    await build(context).parseAsync(args, { from: 'user' })
  } catch (error) {
    // Help and version end the parser with an error.
    if (!(error instanceof CommanderError)) throw error
  }
  return context.result
}

type ProgramOptions = {
  version: string
  /** Names of errors of other packages whose message suffices. */
  expectedErrors?: readonly string[]
}

/** Runs the command of this process, and sets its exit code. */
export const runProcess = async (build: BuildProgram, options: ProgramOptions): Promise<void> => {
  const args = process.argv.slice(2)
  const json = args.includes('--json')
  const reporter = createProgressReporter(process.stderr, { json })
  const terminal = openTerminal(process, () => reporter.end())
  const context: CliContext = {
    environment: process.env,
    version: options.version,
    terminal,
    screen: openScreen(process.stdout, process.env),
    prompts: openPrompts({ input: process.stdin, output: process.stderr }),
    report: reporter.report,
    writeHelp: text => void process.stdout.write(text),
    globals: {},
    result: null,
  }
  try {
    const output = await runCommand(build, args, context)
    reporter.end()
    if (output?.failed) process.exitCode = EXIT_FAILURE
    if (output?.exitCode !== undefined) process.exitCode = output.exitCode
    if (output) await terminal.print(json ? JSON.stringify(output.data) : output.text)
  } catch (error) {
    reporter.end()
    process.stderr.write(describeError(error, options.expectedErrors ?? [], json))
    process.exitCode = error instanceof CommandError ? error.exitCode : EXIT_FAILURE
  }
  const interruption = terminal.interruption()
  if (interruption !== null) process.exitCode = interruption
}

const describeError = (error: unknown, expected: readonly string[], json: boolean): string => {
  const { name, message, stack } = error as Error
  const isExpected = error instanceof CommandError || expected.includes(name)
  if (json) {
    const code = error instanceof CommandError ? error.code : isExpected ? 'failed' : 'internal_error'
    return `${JSON.stringify({ error: { code, message } })}\n`
  }
  return `${isExpected ? message : (stack ?? String(error))}\n`
}

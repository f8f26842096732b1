import type { CliContext, Environment } from '../src/program/cli-context.ts'
import { type BuildProgram, runCommand } from '../src/program/run-program.ts'
import { createProgram } from '../src/register-commands.ts'
import type { FailingOutput } from '../src/terminal/output.ts'
import { createTestContext, type TestContext } from './command-context.ts'

/** Runs a command in this process. Its help is its text. */
export const runWordsOf = async (
  build: BuildProgram,
  words: readonly string[],
  context: TestContext,
): Promise<FailingOutput> =>
  (await runCommand(build, words, context)) ?? { text: context.help.join(''), data: null }

export const runWords = (
  words: readonly string[],
  environment: Environment,
  given: Partial<CliContext> = {},
): Promise<FailingOutput> => runWordsOf(createProgram, words, createTestContext(environment, given))

import type { CliContext, Environment, FailingOutput } from '@carabiner/cli'
import { createTestContext } from '../../../packages/cli/test/command-context.ts'
import { runWordsOf } from '../../../packages/cli/test/run-words.ts'
import { createFullProgram } from '../src/create-program.ts'

/** Runs a command of the full program in this process. */
export const runWords = (
  words: readonly string[],
  environment: Environment,
  report: CliContext['report'] = () => undefined,
): Promise<FailingOutput> => runWordsOf(createFullProgram, words, createTestContext(environment, { report }))

import type { CliContext, Environment } from '../src/program/cli-context.ts'
import { UsageError } from '../src/terminal/output.ts'
import type { Prompts } from '../src/terminal/prompts.ts'
import { PLAIN_SCREEN } from '../src/terminal/screen.ts'

const refuse = async ({ option }: { option: string }): Promise<never> => {
  throw new UsageError(`There is no terminal. Use ${option}.`)
}
const NO_TERMINAL: Prompts = { text: refuse, secret: refuse, choose: refuse, confirm: refuse }

export type TestContext = CliContext & {
  lines: string[]
  notices: string[]
  help: string[]
  stop: AbortController
}

/** A context whose command prints to arrays, without a terminal. */
export const createTestContext = (environment: Environment, given: Partial<CliContext> = {}): TestContext => {
  const lines: string[] = []
  const notices: string[] = []
  const help: string[] = []
  const stop = new AbortController()
  return {
    environment,
    version: '0.0.0',
    terminal: {
      print: async line => void lines.push(line),
      notice: line => void notices.push(line),
      handleStop: () => stop.signal,
    },
    screen: PLAIN_SCREEN,
    prompts: NO_TERMINAL,
    report: () => undefined,
    writeHelp: text => void help.push(text),
    globals: {},
    result: null,
    ...given,
    lines,
    notices,
    help,
    stop,
  }
}

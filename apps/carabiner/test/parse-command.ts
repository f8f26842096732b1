import { type CliCommand, pathOf } from '@carabiner/cli'
import { createTestContext } from '../../../packages/cli/test/command-context.ts'
import { createFullProgram } from '../src/create-program.ts'

export const leavesOf = (command: CliCommand): CliCommand[] =>
  command.commands.length === 0
    ? [command]
    : (command.commands as readonly CliCommand[]).flatMap(each => leavesOf(each))

/** The words of the first command of a line, up to a pipe, a redirection or a comment, without variables before it. */
export const firstCommand = (line: string): string[] => {
  const words = [...line.matchAll(/'([^']*)'|"([^"]*)"|(\S+)/g)].map(([, a, b, c]) => a ?? b ?? c ?? '')
  const end = words.findIndex(word => /^([|<>&#]|\|\|)/.test(word))
  const command = words.slice(0, end === -1 ? undefined : end)
  return command.slice(command.findIndex(word => !/^[A-Z_]+=/.test(word)))
}

/** Parses the words after `carabiner` without running anything. Returns the command; null for help. Throws a usage error. */
export const parseCommand = async (words: readonly string[]): Promise<string | null> => {
  const program = createFullProgram(createTestContext({}))
  let called: string | null = null
  for (const leaf of leavesOf(program)) leaf.action(() => void (called = pathOf(leaf)))
  const settings = words.indexOf('--settings')
  const given = words.map((word, n) => (settings !== -1 && n === settings + 1 ? '/dev/null' : word))
  try {
    await program.parseAsync(given, { from: 'user' })
  } catch (error) {
    if (!String((error as { code?: string }).code).startsWith('commander.help')) throw error
  }
  return called
}

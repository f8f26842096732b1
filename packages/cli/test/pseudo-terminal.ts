import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { stripVTControlCharacters } from 'node:util'
import { eventually } from '../../../server/test/support/eventually.ts'

export type PseudoTerminal = {
  /** Everything that was shown, without control sequences. */
  screen(): string
  /** Waits until the text is shown, and then types. */
  answer(shown: RegExp, keys: string): Promise<void>
  ended: Promise<number | null>
}

const quote = (word: string): string => `'${word.replaceAll("'", `'\\''`)}'`

/** Runs a command in a pseudo-terminal of util-linux's `script`. */
export const openPseudoTerminal = (
  command: readonly string[],
  environment: Record<string, string | undefined>,
  { cwd = process.cwd(), columns = 100 }: { cwd?: string; columns?: number } = {},
): PseudoTerminal => {
  // A new terminal has no size.
  const line = `stty cols ${columns} rows 40; exec ${command.map(quote).join(' ')}`
  const child = spawn('script', ['-q', '-e', '-c', line, '/dev/null'], {
    env: { PATH: process.env.PATH, TERM: 'xterm', SHELL: '/bin/sh', ...environment },
    cwd,
  })
  let shown = ''
  child.stdout.on('data', chunk => (shown += String(chunk)))
  const screen = () => stripVTControlCharacters(shown)
  return {
    screen,
    answer: async (wanted, keys) => {
      await eventually(async () => {
        if (child.exitCode !== null) throw new Error(`ended: ${screen()}`)
        if (!wanted.test(screen())) throw new Error(`not shown: ${screen()}`)
      })
      child.stdin.write(keys)
    },
    ended: once(child, 'close').then(([code]) => code as number | null),
  }
}

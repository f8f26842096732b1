import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { compiledCode } from '../../../server/test/support/compiled-code.ts'

export const CLI_MAIN = join(import.meta.dirname, '../src/main.ts')

export type Finished = { code: number | null; signal: NodeJS.Signals | null; stdout: string; stderr: string }
export type RunningProcess = {
  child: ChildProcessWithoutNullStreams
  output: { stdout: string; stderr: string }
  ended: Promise<Finished>
}

type ProcessOptions = {
  environment?: Record<string, string | undefined>
  cwd?: string
  /** Written to standard input, which is then closed. Undefined leaves it open. */
  input?: string
  main?: string
}

/** The real command in a process of its own, without a terminal. */
export const startProcess = (
  words: readonly string[],
  { environment = {}, cwd, input, main = CLI_MAIN }: ProcessOptions = {},
): RunningProcess => {
  const child = spawn(process.execPath, [main, ...words], {
    env: { PATH: process.env.PATH, HOME: '/nonexistent', ...compiledCode, ...environment },
    ...(cwd !== undefined && { cwd }),
  })
  const output = { stdout: '', stderr: '' }
  child.stdout.on('data', chunk => (output.stdout += String(chunk)))
  child.stderr.on('data', chunk => (output.stderr += String(chunk)))
  child.stdin.on('error', () => undefined)
  if (input !== undefined) child.stdin.end(input)
  const ended = once(child, 'close').then(([code, signal]) => ({
    code: code as number | null,
    signal: signal as NodeJS.Signals | null,
    ...output,
  }))
  return { child, output, ended }
}

export const runProcess = (words: readonly string[], options: ProcessOptions = {}): Promise<Finished> =>
  startProcess(words, { input: '', ...options }).ended

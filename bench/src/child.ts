import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { compiledCode } from '../../server/test/support/compiled-code.ts'

export const ROOT = join(import.meta.dirname, '../..')
/** Only a process that hangs takes this long, however busy the machine. */
const START_DEADLINE = 300_000

export type Child = {
  process: ChildProcess
  pid: number
  /** What `ready` matched in the process's output. */
  ready: RegExpExecArray
  /** From the call to the line that says it is ready: what a person waits. */
  startMilliseconds: number
  stop(): Promise<void>
}

type Start = {
  /** Relative to the repository. */
  file: string
  args?: string[]
  nodeArgs?: string[]
  environment?: Record<string, string>
  ready: RegExp
  /** Ignored for who tells there what is of no concern. */
  stderr?: 'inherit' | 'ignore'
}

/** Starts a Node process and waits until it says that it is ready. It dies with this one. */
export const startChild = async ({
  file,
  args = [],
  nodeArgs = [],
  environment = {},
  ready,
  stderr = 'inherit',
}: Start): Promise<Child> => {
  const startedAt = performance.now()
  const child = spawn(process.execPath, [...nodeArgs, join(ROOT, file), ...args], {
    cwd: ROOT,
    env: { PATH: process.env.PATH, ...compiledCode, ...environment },
    stdio: ['ignore', 'pipe', stderr, 'ipc'],
  })
  const kill = () => child.kill('SIGKILL')
  process.once('exit', kill)
  child.once('exit', () => process.off('exit', kill))
  const matched = await untilReady(child, file, ready)
  return {
    process: child,
    pid: child.pid as number,
    ready: matched,
    startMilliseconds: performance.now() - startedAt,
    stop: async () => {
      if (child.exitCode !== null || child.signalCode !== null) return
      const gone = once(child, 'exit')
      child.kill('SIGTERM')
      await gone
    },
  }
}

const untilReady = (child: ChildProcess, file: string, ready: RegExp): Promise<RegExpExecArray> =>
  new Promise((resolve, reject) => {
    let output = ''
    const deadline = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`${file} was not ready in time:\n${output}`))
    }, START_DEADLINE)
    child.once('error', reject)
    child.once('exit', code => {
      clearTimeout(deadline)
      reject(new Error(`${file} ended with ${code}:\n${output}`))
    })
    const read = (chunk: Buffer): void => {
      output += String(chunk)
      const matched = ready.exec(output)
      if (!matched) return
      clearTimeout(deadline)
      // What it says from now on is let through and not kept.
      child.stdout?.off('data', read).resume()
      resolve(matched)
    }
    child.stdout?.on('data', read)
  })

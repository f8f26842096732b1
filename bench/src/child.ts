import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { compiledCode } from '../../server/test/support/compiled-code.ts'

export const ROOT = join(import.meta.dirname, '../..')
/** Only a process that hangs takes this long, even on a busy machine. */
const START_TIMEOUT_MS = 300_000

export type Child = {
  process: ChildProcess
  pid: number
  /** The match of `ready` in the output of the process. */
  ready: RegExpExecArray
  /** Time from spawning the process to its ready line. */
  startMilliseconds: number
  stop(): Promise<void>
}

type ChildOptions = {
  /** Relative to the repository. */
  file: string
  args?: string[]
  nodeArgs?: string[]
  environment?: Record<string, string>
  ready: RegExp
  /** Default: inherit. `ignore` hides the irrelevant output of a reference program. */
  stderr?: 'inherit' | 'ignore'
}

/** Starts a Node process and waits for its ready line. It is killed when this process exits. */
export const startChild = async ({
  file,
  args = [],
  nodeArgs = [],
  environment = {},
  ready,
  stderr = 'inherit',
}: ChildOptions): Promise<Child> => {
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
      const exited = once(child, 'exit')
      child.kill('SIGTERM')
      await exited
    },
  }
}

const untilReady = (child: ChildProcess, file: string, ready: RegExp): Promise<RegExpExecArray> =>
  new Promise((resolve, reject) => {
    let output = ''
    const deadline = setTimeout(() => {
      child.kill('SIGKILL')
      reject(new Error(`${file} was not ready in time:\n${output}`))
    }, START_TIMEOUT_MS)
    child.once('error', reject)
    child.once('exit', code => {
      clearTimeout(deadline)
      reject(new Error(`${file} exited with code ${code}:\n${output}`))
    })
    const read = (chunk: Buffer): void => {
      output += String(chunk)
      const matched = ready.exec(output)
      if (!matched) return
      clearTimeout(deadline)
      // Later output is discarded, but read so that the process does not block.
      child.stdout?.off('data', read).resume()
      resolve(matched)
    }
    child.stdout?.on('data', read)
  })

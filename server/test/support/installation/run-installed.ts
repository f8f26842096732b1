import { type ChildProcess, spawn, spawnSync } from 'node:child_process'
import { eventually } from '../eventually.ts'

/** `user`: numeric IDs. Default: the user of this process, which is not root. */
export type InstalledProcess = {
  cwd: string
  environment: Record<string, string>
  user?: { uid: number; gid: number } | undefined
}

/** An account that owns nothing. Only root can start a process as another user. */
export const NOBODY = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : undefined

const optionsOf = ({ cwd, environment, user }: InstalledProcess) => ({
  cwd,
  env: { PATH: process.env.PATH, ...environment },
  ...user,
})

/** Returns the standard output, also of a command that reports problems with exit code 1 (`--json`). */
export const runInstalled = (where: InstalledProcess, [program = '', ...args]: string[]): string => {
  const { stdout, stderr, status, error } = spawnSync(program, args, {
    ...optionsOf(where),
    encoding: 'utf8',
  })
  if (error) throw error
  if (status !== 0 && !args.includes('doctor'))
    throw new Error(`${args.join(' ')} ended with ${status}: ${stderr}${stdout}`)
  return stdout
}

export type RunningService = { origin: string; stop(): Promise<number | null> }

export const startInstalled = async (
  where: InstalledProcess,
  [program = '', ...args]: string[],
  origin: string,
): Promise<RunningService> => {
  const child: ChildProcess = spawn(program, args, { ...optionsOf(where), stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream?.on('data', chunk => (output += String(chunk)))
  const exited = new Promise<number | null>(resolve => child.once('exit', resolve))
  const ready = eventually(async () => {
    if (!(await fetch(`${origin}/readyz`)).ok) throw new Error(`not ready: ${output}`)
  })
  const ended = exited.then(code => Promise.reject(new Error(`the service ended with ${code}: ${output}`)))
  ended.catch(() => undefined)
  await Promise.race([ready, ended])
  return {
    origin,
    stop: () => {
      child.kill('SIGTERM')
      return exited
    },
  }
}

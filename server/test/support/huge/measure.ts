import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type Eaten = { kinds: Record<string, string[]>; grownMb: number; ms: number }

const script = (name: string): string => join(import.meta.dirname, name)

/** Ends with this process: its standard input is ours. */
const startUpstream = async (bytes: number): Promise<{ url: string; child: ChildProcess }> => {
  const child = spawn(process.execPath, [script('upstream.ts'), String(bytes)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return { url: `http://127.0.0.1:${port.toString().trim()}`, child }
}

/** How much a process grows that is answered with so many bytes; third party and caller are processes of their own. */
export const measureHugeAnswers = async (bytes: number, rounds: number): Promise<Eaten> => {
  const upstreams = await Promise.all([startUpstream(700 * 1024), startUpstream(bytes)])
  try {
    const [small, huge] = upstreams.map(({ url }) => url)
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [script('eat.ts'), small as string, huge as string, String(rounds)],
      { timeout: 300_000 },
    )
    return JSON.parse(stdout) as Eaten
  } finally {
    for (const { child } of upstreams) child.kill()
  }
}

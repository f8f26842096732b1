import { type ChildProcess, execFile, spawn } from 'node:child_process'
import { once } from 'node:events'
import { join } from 'node:path'
import { promisify } from 'node:util'

export type MemoryMeasurement = { kinds: Record<string, string[]>; grownMb: number; ms: number }

const script = (name: string): string => join(import.meta.dirname, name)

/** The child ends with this process, because it watches its standard input. */
const startUpstream = async (bytes: number): Promise<{ url: string; child: ChildProcess }> => {
  const child = spawn(process.execPath, [script('upstream.ts'), String(bytes)], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  const [port] = (await once(child.stdout, 'data')) as [Buffer]
  return { url: `http://127.0.0.1:${port.toString().trim()}`, child }
}

/** Measures how much a process grows when it receives a response of this size. Provider and caller are separate processes. */
export const measureHugeResponses = async (bytes: number, rounds: number): Promise<MemoryMeasurement> => {
  const upstreams = await Promise.all([startUpstream(700 * 1024), startUpstream(bytes)])
  try {
    const [small, huge] = upstreams.map(({ url }) => url)
    const { stdout } = await promisify(execFile)(
      process.execPath,
      [script('memory-probe.ts'), small as string, huge as string, String(rounds)],
      { timeout: 300_000 },
    )
    return JSON.parse(stdout) as MemoryMeasurement
  } finally {
    for (const { child } of upstreams) child.kill()
  }
}

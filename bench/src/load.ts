import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Figures } from './figures.ts'

export type LoadRequest = [path: string, body: string]

export type Load = {
  origin: string
  headers: Record<string, string>
  expectedStatus: number
  connections: number
  seconds: number
  warmUpMilliseconds: number
  requests: LoadRequest[]
  /** Whether requests may be repeated. Mint requests may; a code can be redeemed only once. */
  requestsAreReusable: boolean
  /** The MCP transport. Default: independent requests without a session. */
  transport?: 'session' | 'stream'
  /** Text that a correct response contains. Each connection checks its first response. */
  expectedText?: string
}

const WARM_UP_SHARE = 0.1
/** Additional time for the load generator to start and to read its requests. */
const GRACE_MS = 30_000

export const warmUpSeconds = (seconds: number): number => seconds * WARM_UP_SHARE

type LoadOptions = Omit<Load, 'warmUpMilliseconds'> & { folder: string }

export const runLoad = async ({ folder, ...options }: LoadOptions): Promise<Figures> => {
  const load: Load = { ...options, warmUpMilliseconds: warmUpSeconds(options.seconds) * 1000 }
  const file = join(folder, 'load.json')
  writeFileSync(file, JSON.stringify(load))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, 'load-generator.ts'), file],
    { timeout: load.seconds * 1000 + GRACE_MS },
  )
  return JSON.parse(stdout) as Figures
}

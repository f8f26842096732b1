import { execFile } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import type { Figures } from './figures.ts'

export type Ask = [path: string, body: string]

export type Load = {
  origin: string
  headers: Record<string, string>
  expectedStatus: number
  connections: number
  seconds: number
  warmUpMilliseconds: number
  asks: Ask[]
  /** A mint can be asked for again and again; a code is redeemed once. */
  asksAreReusable: boolean
  /** How a connection speaks before and while it asks; each request by itself, unless told otherwise. */
  manner?: 'session' | 'stream'
  /** What stands in a right answer; each connection looks for it in its first. */
  answerHolds?: string
}

const WARM_UP_SHARE = 0.1
/** What the generator may take beyond its own time, to start and to read what it asks. */
const GRACE = 30_000

export const warmUpSeconds = (seconds: number): number => seconds * WARM_UP_SHARE

type Asking = Omit<Load, 'warmUpMilliseconds'> & { folder: string }

export const putLoad = async ({ folder, ...asking }: Asking): Promise<Figures> => {
  const load: Load = { ...asking, warmUpMilliseconds: warmUpSeconds(asking.seconds) * 1000 }
  const file = join(folder, 'load.json')
  writeFileSync(file, JSON.stringify(load))
  const { stdout } = await promisify(execFile)(
    process.execPath,
    [join(import.meta.dirname, 'load-generator.ts'), file],
    { timeout: load.seconds * 1000 + GRACE },
  )
  return JSON.parse(stdout) as Figures
}

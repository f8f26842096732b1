import { execFileSync } from 'node:child_process'
import { setTimeout as delay } from 'node:timers/promises'
import { createInstallation, type Installation, startServiceProcess } from './service-process.ts'

/** Milliseconds until ready: on an empty database, and on the database that the first start created. */
export type Starts = { cold: number; warm: number; idleMegabytes: number }

const IDLE_MS = 1000

/** Starts an installation twice. The memory is measured one second after the second start is ready. */
export const measureStarts = async (installation: Installation): Promise<Starts> => {
  const first = await startServiceProcess(installation)
  await first.stop()
  const second = await startServiceProcess(installation)
  await delay(IDLE_MS)
  const idleMegabytes = residentMegabytes(second.pid)
  await second.stop()
  return { cold: first.startMilliseconds, warm: second.startMilliseconds, idleMegabytes }
}

export const measureEmbeddedStarts = async (): Promise<Starts> => {
  const installation = createInstallation(undefined)
  try {
    return await measureStarts(installation)
  } finally {
    installation.remove()
  }
}

export const residentMegabytes = (pid: number): number =>
  Number(execFileSync('ps', ['-o', 'rss=', '-p', String(pid)], { encoding: 'utf8' })) / 1024

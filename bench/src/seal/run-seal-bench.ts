import type { Database } from '../../../server/src/platform/database/database.ts'
import { median } from '../figures.ts'
import { createSubjects, type Subject } from './subjects.ts'

export type SealBench = {
  rounds: number
  /** CPU time in microseconds. */
  measured: Record<Subject, { median: number; rounds: number[] }>
}

const WARM_UP = 2000

const cpuMicroseconds = async (work: () => unknown, times: number): Promise<number> => {
  const before = process.cpuUsage()
  // The database is idle, so all CPU time of this process belongs to the work.
  for (let n = 0; n < times; n++) {
    const result = work()
    if (result instanceof Promise) await result
  }
  const { user, system } = process.cpuUsage(before)
  return (user + system) / times
}

/** Measures the subjects alternately, so that other load affects all of them. The database only stores the keys. */
export const runSealBench = async (
  db: Database,
  { rounds, times, warmUp = WARM_UP }: { rounds: number; times: number; warmUp?: number },
): Promise<SealBench> => {
  const subjects = Object.entries(await createSubjects(db)) as [Subject, () => unknown][]
  for (const [, work] of subjects) await cpuMicroseconds(work, warmUp)
  const figures = new Map(subjects.map(([name]) => [name, [] as number[]]))
  for (let round = 0; round < rounds; round++) {
    for (const [name, work] of subjects) figures.get(name)?.push(await cpuMicroseconds(work, times))
  }
  const measured = Object.fromEntries(
    [...figures].map(([name, all]) => [name, { median: median(all), rounds: all }]),
  ) as SealBench['measured']
  return { rounds, measured }
}

/** Median of the ratios of adjacent rounds, which ran under similar load. */
export const ratioOf = ({ measured }: SealBench, subject: Subject, reference: Subject): number =>
  median(measured[subject].rounds.map((own, n) => (measured[reference].rounds[n] ?? 0) / own))

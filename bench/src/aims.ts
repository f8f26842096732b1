import type { Subject } from './measurements.ts'
import type { Job } from './options.ts'
import type { BenchResult } from './run-bench.ts'

/** A ratio is comparable between machines; an absolute value is not. */
type RatioAim = { job: Job; reference: Subject; atLeast: number }

const RATIOS: RatioAim[] = [
  { job: 'mint', reference: 'pgbench', atLeast: 0.55 },
  { job: 'confirm', reference: 'pgbench', atLeast: 0.8 },
  // Its codes are in memory, ours are durable: `--ram-disk` takes disk speed out of the comparison.
  { job: 'confirm', reference: 'oidc-provider', atLeast: 1.5 },
]
const LIMITS = {
  idleMegabytes: 200,
  warmStart: { postgres: 2000, embedded: 3000 },
}

export type AimResult = { name: string; value: number; unit: string; aim: string; met: boolean }

export const checkAims = (result: BenchResult): AimResult[] => [
  ...RATIOS.flatMap(aim => checkRatio(result, aim)),
  atMost('idle memory, PostgreSQL', result.starts.postgres.idleMegabytes, ' MB', LIMITS.idleMegabytes),
  atMost('second start, PostgreSQL', result.starts.postgres.warm, ' ms', LIMITS.warmStart.postgres),
  ...(result.starts.embedded
    ? [atMost('second start, embedded', result.starts.embedded.warm, ' ms', LIMITS.warmStart.embedded)]
    : []),
]

const checkRatio = (result: BenchResult, { job, reference, atLeast }: RatioAim): AimResult[] => {
  const { connections } = result.options
  const rate = (subject: Subject) =>
    result.measured.find(m => m.job === job && m.subject === subject && m.connections === connections)?.median
      .perSecond
  const ours = rate('service')
  const theirs = rate(reference)
  if (ours === undefined || theirs === undefined) return []
  const value = ours / theirs
  const name = `${job} at ${connections}, ratio to ${reference}`
  return [{ name, value, unit: '×', aim: `≥ ${atLeast}×`, met: value >= atLeast }]
}

const atMost = (name: string, value: number, unit: string, limit: number): AimResult => ({
  name,
  value,
  unit,
  aim: `< ${limit}${unit}`,
  met: value < limit,
})

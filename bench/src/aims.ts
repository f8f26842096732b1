import type { Subject } from './measurements.ts'
import type { Job } from './options.ts'
import type { BenchResult } from './run-bench.ts'

/** A ratio holds on any machine; an absolute figure only on the one it was taken on. */
type RatioAim = { job: Job; reference: Subject; atLeast: number }

const RATIOS: RatioAim[] = [
  { job: 'mint', reference: 'pgbench', atLeast: 0.55 },
  { job: 'confirm', reference: 'pgbench', atLeast: 0.8 },
  { job: 'confirm', reference: 'oidc-provider', atLeast: 2.5 },
]
const LIMITS = {
  restMegabytes: 200,
  warmStart: { postgres: 2000, embedded: 3000 },
}

export type Verdict = { what: string; value: number; unit: string; aim: string; met: boolean }

export const judge = (result: BenchResult): Verdict[] => [
  ...RATIOS.flatMap(aim => judgeRatio(result, aim)),
  atMost('memory at rest, PostgreSQL', result.starts.postgres.restMegabytes, ' MB', LIMITS.restMegabytes),
  atMost('second start, PostgreSQL', result.starts.postgres.warm, ' ms', LIMITS.warmStart.postgres),
  ...(result.starts.embedded
    ? [atMost('second start, embedded', result.starts.embedded.warm, ' ms', LIMITS.warmStart.embedded)]
    : []),
]

const judgeRatio = (result: BenchResult, { job, reference, atLeast }: RatioAim): Verdict[] => {
  const { connections } = result.options
  const rate = (subject: Subject) =>
    result.measured.find(m => m.job === job && m.subject === subject && m.connections === connections)?.median
      .perSecond
  const ours = rate('service')
  const theirs = rate(reference)
  if (ours === undefined || theirs === undefined) return []
  const value = ours / theirs
  const what = `${job} at ${connections}, to ${reference}`
  return [{ what, value, unit: '×', aim: `≥ ${atLeast}×`, met: value >= atLeast }]
}

const atMost = (what: string, value: number, unit: string, limit: number): Verdict => ({
  what,
  value,
  unit,
  aim: `< ${limit}${unit}`,
  met: value < limit,
})

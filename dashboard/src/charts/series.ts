import { OUTCOMES, type Outcome } from '../ui/data/outcome.tsx'

/** One layer of a stack. `fill`: the class of its color. */
export type Series<Key extends string = string> = { key: Key; label: string; fill: string }

export type Point<Key extends string = string> = { at: string } & Record<Key, number>

const outcomes = ['success', 'needs_auth', 'redacted', 'error'] as const satisfies readonly Outcome[]

/** Layers are listed from bottom to top. */
export const OUTCOME_SERIES: readonly Series<(typeof outcomes)[number]>[] = outcomes.map(key => ({
  key,
  label: OUTCOMES[key].label,
  fill: OUTCOMES[key].fill,
}))

/** One day of usage. `projected`: calls that would count, on days to come. */
export type UsagePoint = Point<'counted' | 'uncounted' | 'projected'>
export const USAGE_SERIES: readonly Series<'counted' | 'uncounted' | 'projected'>[] = [
  { key: 'counted', label: 'Counted', fill: 'bg-fill-success' },
  { key: 'uncounted', label: 'Not counted', fill: 'bg-fill-auth/75' },
  { key: 'projected', label: 'Projected', fill: 'bg-fill-success/35' },
]

import type { Outcome } from '../ui/data/outcome.tsx'

/** One period of a time series, with a count for each outcome. */
export type OutcomePoint = { at: string } & Record<Outcome, number>
export const STACK: readonly Outcome[] = ['error', 'redacted', 'needs_auth', 'success']

/** One day of usage. `projected`: calls that would count, on days to come. */
export type UsagePoint = { at: string; counted: number; uncounted: number; projected: number }
export const USAGE_SERIES = [
  { key: 'counted', label: 'Counted', fill: 'bg-fill-success', color: 'var(--fill-success)', opacity: 1 },
  { key: 'uncounted', label: 'Not counted', fill: 'bg-fill-auth', color: 'var(--fill-auth)', opacity: 0.75 },
  {
    key: 'projected',
    label: 'Projected',
    fill: 'bg-fill-success/35',
    color: 'var(--fill-success)',
    opacity: 0.35,
  },
] as const

import type { Plan } from '@carabiner/contract'

export type LimitDecision = 'within' | 'billing_limit_reached' | 'rate_limited'

/** Plans have no quota here yet, so every call is within it; admission asks before it lets a call through. */
export const judgeLimits = (_plan: Plan, _ratePerMinute: number | null): LimitDecision => 'within'

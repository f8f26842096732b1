type PlanLimits = {
  /** Counted calls per cycle; null: unlimited. */
  calls: number | null
  /** How long records of tool calls and violations are kept. */
  recordDays: number
  /** How long events and their deliveries are kept. */
  eventDays: number
  /** Whether users may have a rate limit. */
  hasRateLimits: boolean
}

/** The functions `plan_…` of the migrations decide with the same values, in the statement of each call; a test compares them. */
export const planLimits = {
  free: { calls: 1_000, recordDays: 90, eventDays: 7, hasRateLimits: false },
  starter: { calls: 10_000, recordDays: 90, eventDays: 7, hasRateLimits: false },
  business: { calls: 100_000, recordDays: 365, eventDays: 30, hasRateLimits: true },
  enterprise: { calls: null, recordDays: 730, eventDays: 90, hasRateLimits: true },
} as const satisfies Record<string, PlanLimits>

export type Plan = keyof typeof planLimits
export const plans = Object.keys(planLimits) as Plan[]
/** The highest custom number of calls per cycle. */
export const MAX_CALL_LIMIT = 2_000_000_000

import { type Plan, planLimits } from '@carabiner/contract/plans'

/** The plan's name and limits, as texts. */
export const describePlan = (
  plan: Plan,
): { label: string; calls: string; records: string; events: string } => {
  const { calls, recordDays, eventDays } = planLimits[plan]
  return {
    label: plan.charAt(0).toUpperCase() + plan.slice(1),
    calls: calls === null ? 'unlimited calls' : `${calls.toLocaleString()} calls per cycle`,
    records: `${recordDays} days`,
    events: `${eventDays} days`,
  }
}

import { type PolicyEffect, policyEffects } from '@carabiner/contract'
import type { PolicyDecision, PolicyRule } from './policy.ts'

/**
 * The strictest effect of the matching rules; the default if none matches. A hook that was not asked may decide anything, so it counts like a
 * rule that allows: with hooks, the decision can only become stricter.
 */
export const conclude = (
  matched: readonly PolicyRule[],
  defaultEffect: PolicyEffect,
): Pick<PolicyDecision, 'effect' | 'rule'> => {
  for (const effect of policyEffects) {
    const rule = matched.find(match => match.effect === effect)
    if (rule) return { effect, rule }
  }
  return { effect: matched.length > 0 ? 'allow' : defaultEffect }
}

import type { PolicyEffect } from '@carabiner/contract'
import { isStricter, policyEffects } from '@carabiner/contract/policy-bounds'
import { EFFECTS } from './rule-words.ts'

/** After "A call that no rule matches". */
export const DEFAULT_MEANING: Record<PolicyEffect, string> = {
  deny: 'is denied. Only what a rule allows runs.',
  ask: 'waits until a member has approved it.',
  allow: 'runs.',
}

/** Whether a change of the default can let more calls run. */
export const isLoosening = (next: PolicyEffect, current: PolicyEffect): boolean => isStricter(current, next)
export const DEFAULT_OPTIONS = policyEffects.map(value => ({
  value,
  label: EFFECTS[value].label,
  hint: `A call that no rule matches ${DEFAULT_MEANING[value]}`,
}))

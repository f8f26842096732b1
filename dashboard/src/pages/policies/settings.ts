import type { ApprovalBinding, PolicyEffect } from '@carabiner/contract'
import { approvalBindings, isStricter, policyEffects } from '@carabiner/contract/policy-bounds'
import type { PolicyWrite } from '@carabiner/sdk'
import { EFFECTS } from './rule-words.ts'

type SavedSettings = Pick<PolicyWrite, 'default' | 'approval_binding'>

/** One setting of a policy, and how it is changed. */
export type PolicySetting<Value extends string> = {
  label: string
  title: string
  note: (isOfPack: boolean) => string
  action: string
  done: string
  options: { value: Value; label: string; hint: string }[]
  /** Whether a change can let more calls run. */
  isLoosening: (next: Value, current: Value) => boolean
  write: (next: Value, current: SavedSettings) => SavedSettings
}

/** After "A call that no rule matches". */
export const DEFAULT_MEANING: Record<PolicyEffect, string> = {
  deny: 'is denied. Only what a rule allows runs.',
  ask: 'waits until a member has approved it.',
  allow: 'runs.',
}

export const DEFAULT_SETTING: PolicySetting<PolicyEffect> = {
  label: 'Default',
  title: 'Change the default',
  note: isOfPack =>
    isOfPack
      ? 'For calls through this Tool Pack that none of its rules matches.'
      : 'For calls of the organization that no rule matches.',
  action: 'Change default',
  done: 'Default changed',
  options: policyEffects.map(value => ({
    value,
    label: EFFECTS[value].label,
    hint: `A call that no rule matches ${DEFAULT_MEANING[value]}`,
  })),
  isLoosening: (next, current) => isStricter(current, next),
  write: next => ({ default: next }),
}

export const BINDINGS: Record<ApprovalBinding, { label: string; meaning: string }> = {
  identified: {
    label: 'Identified users',
    meaning: 'Users sign in for each decision, or your application confirms who has decided.',
  },
  link: {
    label: 'Anyone with the link',
    meaning:
      'Protects against accidents, not against the agent, which knows the link. Destructive calls still need an identified user.',
  },
}

export const BINDING_SETTING: PolicySetting<ApprovalBinding> = {
  label: 'How users decide',
  title: 'Change how users decide',
  note: () => 'For approvals by users in both modes. Members always decide in the dashboard.',
  action: 'Change how users decide',
  done: 'Approvals by users changed',
  options: approvalBindings.map(value => ({
    value,
    label: BINDINGS[value].label,
    hint: BINDINGS[value].meaning,
  })),
  isLoosening: (next, current) => next === 'link' && current !== 'link',
  write: (next, current) => ({ default: current.default, approval_binding: next }),
}

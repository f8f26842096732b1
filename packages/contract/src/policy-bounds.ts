// This module loads no schemas, so that pages can use it.

/** From the strictest to the most lenient. Among the rules that match a call, the strictest effect applies. */
export const policyEffects = ['deny', 'ask', 'allow'] as const
export type PolicyEffect = (typeof policyEffects)[number]

/** Whether `effect` lets fewer calls run than `other`. */
export const isStricter = (effect: PolicyEffect, other: PolicyEffect): boolean =>
  policyEffects.indexOf(effect) < policyEffects.indexOf(other)

/** How a user who decides is recognized, strictest first. */
export const approvalBindings = ['identified', 'link'] as const
export type ApprovalBinding = (typeof approvalBindings)[number]

/** What applies if a hook does not answer. Not `allow`: whoever can make an endpoint fail could otherwise make every call run. */
export const hookFallbacks = ['deny', 'ask'] as const satisfies readonly PolicyEffect[]
export type HookFallback = (typeof hookFallbacks)[number]

export const policyBounds = {
  /** Of one policy. */
  rules: 100,
  nameLength: 80,
  tools: 100,
  whenLength: 2000,
  reasonLength: 300,
  /** Milliseconds that all hooks of a call have together. */
  hookMs: 2000,
  hookResponseBytes: 16 * 1024,
  /** Recorded calls that a test of a rule reads, newest first. */
  testedCalls: 2000,
  testedDays: 30,
} as const

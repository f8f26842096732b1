import { type PolicyEffect, type PolicyHookAnswer, policyBounds, policyEffects } from '@carabiner/contract'
import { isObject } from '../../../core/json/object.ts'

/** What the hook of a rule has decided, or what applies because it has not (`isFallback`). */
export type HookAnswer = { effect: PolicyEffect; reason: string | null; isFallback: boolean }
/** By the ID of the rule. */
export type HookAnswers = ReadonlyMap<string, HookAnswer>

/** The decision in the response of an endpoint. Null: it is malformed, so nothing in it counts. */
export const parseHookAnswer = (body: Uint8Array): Required<PolicyHookAnswer> | null => {
  const value = parseJson(body)
  if (!isObject(value) || Object.keys(value).some(field => field !== 'decision' && field !== 'reason'))
    return null
  const decision = policyEffects.find(effect => effect === value.decision)
  const { reason = null } = value
  return decision && (reason === null || isReason(reason)) ? { decision, reason } : null
}

const parseJson = (body: Uint8Array): unknown => {
  try {
    return JSON.parse(new TextDecoder('utf-8', { fatal: true }).decode(body))
  } catch {
    return undefined
  }
}

/** Approvals store the reason, and PostgreSQL cannot store a null character. */
const isReason = (value: unknown): value is string =>
  typeof value === 'string' &&
  value.length > 0 &&
  value.length <= policyBounds.reasonLength &&
  value.isWellFormed() &&
  !value.includes('\0')

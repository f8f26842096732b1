import type { ErrorCode } from '@carabiner/contract'
import type { SessionStatus } from './link-session.ts'

/** What is known of a code that could not be redeemed. */
export type CodeFacts = {
  sameOrganization: boolean
  sameMode: boolean
  status: SessionStatus
  /** Its secret still waits: the code has been neither redeemed nor destroyed. */
  waiting: boolean
  expired: boolean
  userActive: boolean
  sameUser: boolean
}

/**
 * §4.2 and §7, in the decided order: unknown, another organization's, used, expired, then the user's standing. The other
 * mode's key sees an unknown code: test and production data never meet. Null: nothing is wrong with it, so it may be tried again.
 */
export const chooseCodeRefusal = (facts: CodeFacts | null): ErrorCode | null => {
  if (!facts) return 'invalid_authorization_code'
  if (!facts.sameOrganization) return 'code_does_not_belong_to_organization'
  if (!facts.sameMode) return 'invalid_authorization_code'
  if (facts.status === 'code_ended' && !facts.userActive) return 'user_inactive'
  if (facts.status === 'code_expired') return 'authorization_code_expired'
  if (facts.status !== 'code_issued' || !facts.waiting) return 'invalid_authorization_code'
  if (facts.expired) return 'authorization_code_expired'
  if (!facts.userActive) return 'user_inactive'
  return facts.sameUser ? null : 'registered_user_mismatch'
}

/** Refusals after which the code must not be redeemable by anybody: it was seen where it should not have been. */
export const isLeak = (code: ErrorCode): boolean =>
  code === 'code_does_not_belong_to_organization' || code === 'registered_user_mismatch'

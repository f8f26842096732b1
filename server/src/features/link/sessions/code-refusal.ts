import type { ErrorCode } from '@carabiner/contract'
import type { SessionStatus } from './link-session.ts'

/** The state of a code that could not be redeemed. */
export type CodeFacts = {
  sameOrganization: boolean
  sameMode: boolean
  status: SessionStatus
  /** The code's secret is still pending: neither redeemed nor destroyed. */
  waiting: boolean
  expired: boolean
  userActive: boolean
  sameUser: boolean
}

/**
 * §4.2 and §7: chooses the error in a fixed order: unknown code, another organization's code, used, expired, then the
 * user's state. A key of the other mode gets the error of an unknown code, because test and production data are kept apart.
 * Null means that the code is valid and may be retried.
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

/** Errors that show that the code has leaked, so that it must be destroyed. */
export const isLeak = (code: ErrorCode): boolean =>
  code === 'code_does_not_belong_to_organization' || code === 'registered_user_mismatch'

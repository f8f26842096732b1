import { MINUTE } from '../../../core/duration.ts'

/** §8: a link token works once, within half an hour: long enough to find one's password, short enough to forget. */
export const LINK_TOKEN_LIFETIME = 30 * MINUTE
/** §8: a code crosses a browser, so it lives only as long as a backend needs to redeem it. */
export const AUTHORIZATION_CODE_LIFETIME = 5 * MINUTE

export const sessionStatuses = [
  'minted',
  'code_issued',
  'completed',
  'code_rejected',
  'code_expired',
  'code_ended',
] as const
export type SessionStatus = (typeof sessionStatuses)[number]

/** Everything that decides whether a session may go on, read in one query. */
export type SessionFacts = {
  status: SessionStatus
  expired: boolean
  /** Minted without a code before the organization required one: it may store nothing any more. */
  withdrawn: boolean
  userActive: boolean
  /** Deactivation ends the sessions minted before it, also after a reactivation. */
  endedWithUser: boolean
  originListed: boolean
}

export type SessionStanding = 'open' | 'used' | 'expired' | 'user_inactive' | 'unauthorized_origin'

/** §3, Link token: in the order in which a person is best told. */
export const judgeSession = (facts: SessionFacts): SessionStanding => {
  if (facts.status !== 'minted') return 'used'
  if (facts.expired || facts.withdrawn || (facts.endedWithUser && facts.userActive)) return 'expired'
  if (!facts.userActive) return 'user_inactive'
  if (!facts.originListed) return 'unauthorized_origin'
  return 'open'
}

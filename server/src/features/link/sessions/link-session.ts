import { MINUTE } from '../../../core/duration.ts'

/** §8: an authorization code passes through a browser, so it is valid only as long as a backend needs to redeem it. */
export const AUTHORIZATION_CODE_TTL_MS = 5 * MINUTE

export const sessionStatuses = [
  'minted',
  'code_issued',
  'completed',
  'code_rejected',
  'code_expired',
  'code_ended',
] as const
export type SessionStatus = (typeof sessionStatuses)[number]

/** What a user granted at the end of a session. */
export type SessionGrant = { connectorSlug: string; account: string | null; scopes: string[] }

/** How far a session has got. `codePending`: the credential is neither confirmed nor destroyed yet. */
export type SessionProgress =
  | { status: 'minted' }
  | { status: 'code_issued'; grant: SessionGrant; codePending: boolean }
  | { status: Exclude<SessionStatus, 'minted' | 'code_issued'>; grant: SessionGrant }

/** The facts that decide whether a session can continue, read in one query. */
export type SessionFacts = {
  status: SessionStatus
  expired: boolean
  /** Minted without a code before the organization began to require codes: the session must not store anything. */
  withdrawn: boolean
  userActive: boolean
  /** Deactivating a user ends the sessions minted before; reactivation does not restore them. */
  endedWithUser: boolean
  originListed: boolean
}

export type SessionStanding =
  | 'open'
  | 'used'
  | 'expired'
  | 'withdrawn'
  | 'user_inactive'
  | 'unauthorized_origin'
export type ClosedStanding = Exclude<SessionStanding, 'open'>

/** Why a completed session is not followed by another one, although its page may have offered it. */
export const successorRefusal = ({
  expired,
  userActive,
  endedWithUser,
  withdrawn,
}: SessionFacts): ClosedStanding => {
  if (expired) return 'expired'
  if (!userActive) return 'user_inactive'
  return endedWithUser || withdrawn ? 'withdrawn' : 'used'
}

/** §3, Link token. If several conditions apply, the one that helps the user most is returned. */
export const sessionStanding = (facts: SessionFacts): SessionStanding => {
  if (facts.status !== 'minted') return 'used'
  if (facts.expired) return 'expired'
  if (!facts.userActive) return 'user_inactive'
  if (facts.withdrawn || facts.endedWithUser) return 'withdrawn'
  if (!facts.originListed) return 'unauthorized_origin'
  return 'open'
}

import { DAY, HOUR, MINUTE } from '../../../core/duration.ts'

/**
 * Decides whether a credential has ended when its provider answers 401. Such an answer alone proves nothing: providers have outages in which they
 * send it to everyone, to some customers, or to some requests.
 */

/** An identity request is made at most this often per credential. */
export const CHECK_INTERVAL_MS = 10 * MINUTE
/** The interval doubles after this many refusals, which take an hour. */
const CHECKS_BEFORE_BACKOFF = 6
const MAX_CHECK_INTERVAL_MS = 2 * HOUR

/** From the first refusal to the one that ends the credential, while other users of its OAuth app have success. */
export const CONFIRMATION_MS = HOUR
/**
 * The same without such users, or if the token endpoint has issued a new token since: an outage looks the same, and outages last for hours.
 */
export const LONE_CONFIRMATION_MS = DAY

/** More refused credentials than this share of the accepted ones are an outage. */
const MAX_REFUSED_SHARE = 0.02

export const checkIntervalMs = (refusals: number): number =>
  Math.min(CHECK_INTERVAL_MS * 2 ** Math.max(refusals - CHECKS_BEFORE_BACKOFF, 0), MAX_CHECK_INTERVAL_MS)

/** The parameters of the same function in SQL. */
export const checkIntervals = {
  firstSeconds: CHECK_INTERVAL_MS / 1000,
  maxSeconds: MAX_CHECK_INTERVAL_MS / 1000,
  beforeBackoff: CHECKS_BEFORE_BACKOFF,
}

/** Other credentials that depend on the same OAuth app, or the organization's other API keys of the connector. */
export type OtherCredentials = {
  /** Had a successful call in the last minutes. */
  accepted: number
  /** Are refused too. */
  refused: number
}

/** How the provider answered the identity request. `unknown`: it was not made, or not answered. */
export type IdentityAnswer = 'accepted' | 'refused' | 'revoked' | 'unknown'

export type RefusalEvidence = {
  identity: IdentityAnswer
  /** Time since the first refusal of both a call and the identity request, without a success since then. */
  refusedForMs: number
  usesOAuthApp: boolean
  /** The token endpoint has issued a new token since the first refusal, so the grant has not ended there. */
  wasRefreshed: boolean
  others: OtherCredentials
}

export type KeepReason = 'account_works' | 'not_checked' | 'not_confirmed' | 'others_refused'
export type RefusalVerdict = { ends: true } | { ends: false; because: KeepReason }

export const judgeRefusal = (evidence: RefusalEvidence): RefusalVerdict => {
  switch (evidence.identity) {
    case 'revoked':
      return { ends: true }
    case 'accepted':
      return { ends: false, because: 'account_works' }
    case 'unknown':
      return { ends: false, because: 'not_checked' }
    case 'refused':
      return judgeRepeated(evidence)
  }
}

const judgeRepeated = ({
  refusedForMs,
  usesOAuthApp,
  wasRefreshed,
  others,
}: RefusalEvidence): RefusalVerdict => {
  if (others.refused > others.accepted * MAX_REFUSED_SHARE) return { ends: false, because: 'others_refused' }
  const isCompared = usesOAuthApp && !wasRefreshed && others.accepted > 0
  return refusedForMs >= (isCompared ? CONFIRMATION_MS : LONE_CONFIRMATION_MS)
    ? { ends: true }
    : { ends: false, because: 'not_confirmed' }
}

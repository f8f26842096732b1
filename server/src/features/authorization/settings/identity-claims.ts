import { isEmailVerified } from '../../../core/verified-email.ts'

/** The person that the provider has signed in. */
export type Identity = { originUserId: string; name: string | null; email: string | null }

/** Why the claims do not identify a user. */
export type ClaimProblem = 'claim_missing' | 'email_not_verified'

export type Claims = { [claim: string]: unknown }

/** How an organization reads claims. */
export type ClaimSettings = { userClaim: string; trustEmail: boolean }

/** Claims of the token and the session. All people would be one user, or a new one at each sign-in. */
const PROTOCOL_CLAIMS = new Set(
  'iss aud azp exp iat nbf jti nonce sid auth_time acr amr at_hash c_hash s_hash email_verified'.split(' '),
)
export const isClaimOfPerson = (name: string): boolean => !PROTOCOL_CLAIMS.has(name)

/** An address that the provider has not verified could belong to another person. */
export const identityOf = (
  claims: Claims,
  { userClaim, trustEmail }: ClaimSettings,
): Identity | ClaimProblem => {
  const statedEmail = textOf(claims.email)
  const email = trustEmail || isEmailVerified(claims) ? statedEmail : null
  const originUserId =
    userClaim === 'email' ? email : Object.hasOwn(claims, userClaim) ? idOf(claims[userClaim]) : null
  if (originUserId === null)
    return userClaim === 'email' && statedEmail !== null ? 'email_not_verified' : 'claim_missing'
  return { originUserId, name: textOf(claims.name), email }
}

/** Whether UserInfo could add something. */
export const isIncomplete = (identity: Identity | ClaimProblem): boolean =>
  typeof identity === 'string' || identity.name === null || identity.email === null

/**
 * The claims of the ID token, completed by those of UserInfo. `email` and `email_verified` are one statement, so both come from the same
 * document: UserInfo if the ID token has no verified address.
 */
export const mergeClaims = (idToken: Claims, userInfo: Claims): Claims => {
  const source = isEmailVerified(idToken) || userInfo.email === undefined ? idToken : userInfo
  return { ...userInfo, ...idToken, email: source.email, email_verified: source.email_verified }
}

/** IDs may be numbers. */
const idOf = (value: unknown): string | null => (Number.isSafeInteger(value) ? String(value) : textOf(value))

/** Of the API: `origin_user_id`, `origin_user_name` and `email` have at most 255 characters. */
const MAX_CLAIM_LENGTH = 255

const textOf = (value: unknown): string | null =>
  typeof value === 'string' &&
  value.trim() !== '' &&
  value.length <= MAX_CLAIM_LENGTH &&
  value.isWellFormed() &&
  !value.includes('\0')
    ? value
    : null

import * as oauth from 'oauth4webapi'
import type { ClaimProblem } from './identity-claims.ts'

export type IdentityFailure = ClaimProblem | 'provider_denied' | 'provider_failed'

/** The identity provider has not identified a person. */
export class IdentityError extends Error {
  readonly failure: IdentityFailure
  /** The OAuth error code of the provider, if it has returned one. */
  readonly providerError: string | null

  constructor(failure: IdentityFailure, cause?: unknown) {
    super(`identity provider: ${failure}`, { cause })
    this.name = 'IdentityError'
    this.failure = failure
    this.providerError = errorCodeOf(cause)
  }
}

export const toIdentityError = (error: unknown): IdentityError => {
  if (error instanceof IdentityError) return error
  const isDenied = error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied'
  return new IdentityError(isDenied ? 'provider_denied' : 'provider_failed', error)
}

/** Only a value in the form of a code is kept, because it comes from the address of the browser. */
const errorCodeOf = (cause: unknown): string | null => {
  const code =
    cause instanceof oauth.AuthorizationResponseError || cause instanceof oauth.ResponseBodyError
      ? cause.error
      : cause instanceof oauth.WWWAuthenticateChallengeError
        ? cause.cause.find(({ parameters }) => parameters.error !== undefined)?.parameters.error
        : undefined
  return code !== undefined && /^[a-z_]{1,64}$/.test(code) ? code : null
}

import type { SignInRejection } from '@carabiner/contract'
import type { RefusedReason } from '../../pages/views/index.ts'
import type { AuthorizationError } from './authorization-request.ts'

/** What the person reads, and what the client gets. */
type Rejection = { page: RefusedReason; error: AuthorizationError }

const denied = (description: string): AuthorizationError => ({ code: 'access_denied', description })

export const REJECTIONS: Record<SignInRejection, Rejection> = {
  claim_missing: {
    page: 'sign_in_unmatched',
    error: denied(
      'The identity provider has not sent the claim that identifies the user. An administrator has to check the sign-in settings.',
    ),
  },
  email_not_verified: {
    page: 'sign_in_email_unverified',
    error: denied('The identity provider does not state that the email address of the user is verified.'),
  },
  user_not_found: {
    page: 'sign_in_not_allowed',
    error: denied('The user has no account here. The user has to ask the organization for access.'),
  },
  user_inactive: {
    page: 'sign_in_not_allowed',
    error: denied('The account of the user is not active. The user has to ask the organization for access.'),
  },
  provider_denied: {
    page: 'sign_in_denied',
    error: denied('The identity provider or the user has denied the sign-in.'),
  },
  provider_failed: {
    page: 'sign_in_failed',
    error: {
      code: 'server_error',
      description: 'The identity provider cannot be used. The user can try again later.',
    },
  },
}

export const DENIED_BY_USER = denied('The user has not allowed the access.')

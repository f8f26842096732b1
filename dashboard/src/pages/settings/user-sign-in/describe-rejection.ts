import type { WebhookEvent } from '@carabiner/sdk'

export const REJECTED = 'client_authorization.rejected'
export type Rejected = Extract<WebhookEvent, { type: typeof REJECTED }>

/** What happened, and what an administrator can do about it. */
export const describeRejection = ({
  cause,
  user_claim: claim,
  provider_error: code,
}: Rejected['data']): { title: string; fix: string } => {
  switch (cause) {
    case 'claim_missing':
      return {
        title: claim ? `Claim ${claim} is missing` : 'Claim is missing',
        fix: `Neither the ID token nor UserInfo had a usable value of ${claim ?? 'the claim'}. Add the claim at the provider, request its scope, or choose another claim.`,
      }
    case 'email_not_verified':
      return {
        title: 'Email not verified',
        fix: 'The provider did not confirm that the address is verified. Ask the person to verify it, choose another claim, or trust this issuer’s email addresses.',
      }
    case 'user_not_found':
      return {
        title: 'No such user',
        fix: `No Registered User has the value of ${claim ?? 'the claim'} as its origin_user_id. Create the user, turn on “Create users at their first sign-in”, or choose another claim.`,
      }
    case 'user_inactive':
      return {
        title: 'User is inactive',
        fix: 'Activate the Registered User if the person should have access.',
      }
    case 'provider_denied':
      return {
        title: 'Denied at the provider',
        fix: 'The person canceled, or has no access to the application there. Assign them to the application at the provider.',
      }
    case 'provider_failed':
      return {
        title: code ? `Provider failed: ${code}` : 'Provider failed',
        fix:
          code === 'invalid_client'
            ? 'The provider rejected the client. Enter its client ID and secret again.'
            : 'The provider could not be reached, or its response was invalid. See the service log for details.',
      }
  }
}

/**
 * Whether an identity provider has verified the address in its claims. OpenID Connect Core §5.1 requires a boolean; some providers,
 * such as Amazon Cognito, send text.
 */
export const isEmailVerified = ({ email_verified: verified }: { [claim: string]: unknown }): boolean =>
  verified === true || verified === 'true'

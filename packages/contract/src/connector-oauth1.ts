import { type Static, Type } from 'typebox'
import { Lifetime } from './connector-lifetime.ts'
import { described, optional, strict, Url } from './connector-parts.ts'

/** OAuth 1.0a (RFC 5849): the user signs in at the provider, and each request is signed with the app and the token. */
export const OAuth1Method = Type.Object(
  {
    type: Type.Literal('oauth1'),
    request_token_endpoint: Url,
    authorization_endpoint: Url,
    access_token_endpoint: Url,
    signature_method: optional(
      Type.Enum(['HMAC-SHA1', 'HMAC-SHA256', 'PLAINTEXT'], described('Default: HMAC-SHA1.')),
    ),
    extra_authorization_parameters: optional(
      Type.Record(
        Type.String(),
        Type.String(),
        described(
          'Additional query parameters of the authorization endpoint, such as `expiration=never`. They may contain {callback}, the address that the provider redirects to.',
        ),
      ),
    ),
    lifetime: optional(Lifetime),
  },
  strict,
)

export type OAuth1Method = Static<typeof OAuth1Method>

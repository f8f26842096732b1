import type { OAuth1Method } from '@carabiner/contract'
import { Secret } from '../../../../core/secret.ts'
import { oauth1Authorization } from '../../../../core/signing/oauth1.ts'
import type { AuthorizationKind, Tenant } from '../../authorization-kind.ts'

/** The consumer is the OAuth app. Its secret is sealed with the token, because every request is signed with both (decision 81). */
export type OAuth1Secret = Tenant & {
  kind: 'oauth1'
  consumerKey: string
  consumerSecret: Secret
  token: Secret
  tokenSecret: Secret
}
type PlainOAuth1Secret = Tenant & {
  kind: 'oauth1'
  consumer_key: string
  consumer_secret: string
  token: string
  token_secret: string
}

export const oauth1: AuthorizationKind<OAuth1Method, OAuth1Secret, PlainOAuth1Secret> = {
  type: 'oauth1',
  toPlain: ({ kind, tenant, consumerKey, consumerSecret, token, tokenSecret }) => ({
    kind,
    tenant,
    consumer_key: consumerKey,
    consumer_secret: consumerSecret.reveal(),
    token: token.reveal(),
    token_secret: tokenSecret.reveal(),
  }),
  fromPlain: ({ kind, tenant, consumer_key, consumer_secret, token, token_secret }) => ({
    kind,
    tenant,
    consumerKey: consumer_key,
    consumerSecret: new Secret(consumer_secret),
    token: new Secret(token),
    tokenSecret: new Secret(token_secret),
  }),
  headers: () => ({}),
  sign: (method, { consumerKey, consumerSecret, token, tokenSecret }, request, { at, nonce }) => ({
    authorization: oauth1Authorization(request, {
      method: { name: method?.signature_method ?? 'HMAC-SHA1', consumerSecret },
      consumerKey,
      token: { key: token.reveal(), secret: tokenSecret },
      nonce,
      at,
      parameters: { oauth_version: '1.0' },
    }),
  }),
  secretTexts: (_, { consumerSecret, token, tokenSecret }) =>
    [consumerSecret, token, tokenSecret].map(secret => secret.reveal()),
  renewal: {
    by: 'app_secret',
    // Only the secret of the same consumer can be replaced.
    renew: (secret, { clientId, clientSecret }) =>
      clientId !== secret.consumerKey || clientSecret.reveal() === secret.consumerSecret.reveal()
        ? null
        : { ...secret, consumerSecret: clientSecret },
  },
  obtain: null,
}

import type { OAuth1Method } from '@carabiner/contract'
import { Secret } from '../../core/secret.ts'
import { oauth1Authorization } from '../../core/signing/oauth1.ts'
import { type Egress, EgressError, type EgressResponse } from '../../platform/egress/egress.ts'
import type { SigningMoment } from '../upstream/authorization-kind.ts'
import { fillText } from '../upstream/templates/template.ts'
import type { OAuthApp } from './oauth-app.ts'
import { type ClientCheck, OAuthError } from './protocol.ts'

/** A provider with OAuth 1.0a and the consumer used there. Its addresses contain no variables. */
export type OAuth1Provider = { method: OAuth1Method; app: OAuthApp }
type Outbound = { egress: Egress; moment: SigningMoment }
export type TokenPair = { token: Secret; secret: Secret }

const MAX_RESPONSE_BYTES = 64 * 1024
/** RFC 5849 §3.5.1: tokens are sent in a header. Larger ones do not fit. */
const TOKEN = /^[\x21-\x7e]{1,4096}$/
const NO_SECRET = new Secret('')

/** RFC 5849 §2.1: temporary credentials for one sign-in. */
export const requestToken = (
  outbound: Outbound,
  provider: OAuth1Provider,
  callback: string,
): Promise<TokenPair> =>
  requestPair(outbound, provider, provider.method.request_token_endpoint, { oauth_callback: callback })

/** RFC 5849 §2.2: the address that the user signs in at. */
export const authorizationAddress = (
  { method }: OAuth1Provider,
  requested: TokenPair,
  callback: string,
): string => {
  const address = new URL(method.authorization_endpoint)
  for (const [name, template] of Object.entries(method.extra_authorization_parameters ?? {}))
    address.searchParams.set(name, fillText(template, { callback }) ?? '')
  address.searchParams.set('oauth_token', requested.token.reveal())
  return address.href
}

/** RFC 5849 §2.3: the callback must name the request token of this attempt. Then the verifier is exchanged. */
export const accessToken = async (
  outbound: Outbound,
  provider: OAuth1Provider,
  { requested, parameters }: { requested: TokenPair; parameters: URLSearchParams },
): Promise<TokenPair> => {
  const verifier = parameters.get('oauth_verifier') ?? ''
  if (isDenial(parameters)) throw new OAuthError({ kind: 'denied' })
  if (parameters.get('oauth_token') !== requested.token.reveal() || !TOKEN.test(verifier))
    throw new OAuthError({ kind: 'provider_error', error: 'invalid_response' })
  const endpoint = provider.method.access_token_endpoint
  return requestPair(outbound, provider, endpoint, { oauth_verifier: verifier }, requested)
}

/** RFC 5849 does not define denials. Providers use the parameter of Twitter, or that of the problem reporting extension. */
const isDenial = (parameters: URLSearchParams): boolean =>
  parameters.has('denied') ||
  ['permission_denied', 'user_refused'].includes(parameters.get('oauth_problem') ?? '') ||
  parameters.get('error') === 'access_denied'

/** Requests temporary credentials, which a provider issues only to a consumer that it knows. */
export const checkConsumer = async (
  outbound: Outbound,
  provider: OAuth1Provider,
  callback: string,
): Promise<ClientCheck> => {
  try {
    await requestToken(outbound, provider, callback)
    return { kind: 'accepted', error: null }
  } catch (error) {
    if (!(error instanceof OAuthError)) throw error
    const { kind } = error.failure
    if (kind === 'invalid_grant') return { kind: 'rejected', error: null }
    const isDown = kind === 'provider_timeout' || kind === 'provider_unavailable'
    return isDown ? { kind: 'unavailable' } : { kind: 'unknown', error: null }
  }
}

const requestPair = async (
  { egress, moment }: Outbound,
  { method, app }: OAuth1Provider,
  url: string,
  parameters: Record<string, string>,
  requested?: TokenPair,
): Promise<TokenPair> => {
  const request = { url, method: 'POST' as const, headers: { accept: '*/*' }, body: null }
  const authorization = oauth1Authorization(request, {
    method: {
      name: method.signature_method ?? 'HMAC-SHA1',
      consumerSecret: app.clientSecret ?? NO_SECRET,
    },
    consumerKey: app.clientId,
    ...(requested && { token: { key: requested.token.reveal(), secret: requested.secret } }),
    ...moment,
    parameters: { oauth_version: '1.0', ...parameters },
  })
  try {
    return readPair(
      await egress.request({
        url,
        method: 'POST',
        headers: { ...request.headers, authorization },
        maxBytes: MAX_RESPONSE_BYTES,
      }),
    )
  } catch (error) {
    if (!(error instanceof EgressError)) throw error
    throw new OAuthError(
      { kind: error.failure === 'timeout' ? 'provider_timeout' : 'provider_unavailable' },
      error,
    )
  }
}

/** RFC 5849 §2.1: a form, whatever its content type. A refusal is not about the user's account, so nothing in it is shown. */
const readPair = ({ status, body }: EgressResponse): TokenPair => {
  if (status >= 500 || status === 429) throw new OAuthError({ kind: 'provider_unavailable' })
  if (status === 401) throw new OAuthError({ kind: 'invalid_grant' })
  const values = new URLSearchParams(body.toString('utf8').trim())
  const token = values.get('oauth_token') ?? ''
  const secret = values.get('oauth_token_secret') ?? ''
  if (status < 200 || status > 299 || !TOKEN.test(token) || !(secret === '' || TOKEN.test(secret)))
    throw new OAuthError(
      { kind: 'exchange_failed' },
      new Error(`the response with status ${status} contains no token`),
    )
  return { token: new Secret(token), secret: new Secret(secret) }
}

import { Secret } from '../../../core/secret.ts'
import { randomBase62, routingCode } from '../../../core/token.ts'
import { oauth1Provider } from '../../connectors/oauth-provider.ts'
import { redirectUri } from '../../oauth/oauth-app.ts'
import { accessToken, authorizationAddress, requestToken } from '../../oauth/oauth1-protocol.ts'
import { OAuthError } from '../../oauth/protocol.ts'
import { signingMoment } from '../../upstream/authorization-kinds/authorization-kinds.ts'
import type { StoredSession } from '../sessions/link-session-store.ts'
import type { LinkDeps } from './link-deps.ts'
import type { OAuth1State, SignInResult, SignInReturn, SignInStart, StartedSignIn } from './sign-in-state.ts'

/** As many characters as the state of OAuth 2.0, which is 256 random bits. */
const STATE_LENGTH = 43

export const beginOAuth1 = async (
  { egress, baseUrl }: LinkDeps,
  { organizationId }: StoredSession,
  { connector, app, tenant }: SignInStart,
): Promise<StartedSignIn> => {
  const provider = oauth1Provider(connector, app, tenant)
  if (!provider) throw new Error(`${connector.slug} cannot be authorized by OAuth 1.0a`)
  const state = routingCode(organizationId) + randomBase62(STATE_LENGTH)
  // RFC 5849 §2.2: the provider appends its parameters to the query of the callback.
  const callback = `${redirectUri(baseUrl, provider.app.context)}?state=${state}`
  const outbound = { egress: egress.onBehalfOf(organizationId), moment: signingMoment() }
  const requested = await requestToken(outbound, provider, callback)
  return {
    app: provider.app,
    url: authorizationAddress(provider, requested, callback),
    state,
    kept: {
      type: 'oauth1',
      request_token: requested.token.reveal(),
      request_secret: requested.secret.reveal(),
      tenant,
    },
  }
}

export const finishOAuth1 = async (
  { egress }: LinkDeps,
  organizationId: string,
  { connector, app, kept, parameters }: SignInReturn<OAuth1State>,
): Promise<SignInResult> => {
  const provider = oauth1Provider(connector, app, kept.tenant)
  if (!provider) throw new OAuthError({ kind: 'exchange_failed' })
  const outbound = { egress: egress.onBehalfOf(organizationId), moment: signingMoment() }
  const requested = { token: new Secret(kept.request_token), secret: new Secret(kept.request_secret) }
  const { token, secret } = await accessToken(outbound, provider, { requested, parameters })
  const { clientId, clientSecret } = provider.app
  return {
    secretAt: tenant => ({
      kind: 'oauth1',
      tenant,
      consumerKey: clientId,
      consumerSecret: clientSecret ?? new Secret(''),
      token,
      tokenSecret: secret,
    }),
    scopes: [],
    expiresInSeconds: null,
    endsInSeconds: null,
    tenant: kept.tenant,
    method: null,
  }
}

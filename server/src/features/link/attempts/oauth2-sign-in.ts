import { Secret } from '../../../core/secret.ts'
import { routingCode } from '../../../core/token.ts'
import { oauthProvider } from '../../connectors/oauth-provider.ts'
import { oauthSecret } from '../../credentials/credential-secret.ts'
import { redirectUri } from '../../oauth/oauth-app.ts'
import { beginAuthorization, finishAuthorization, OAuthError, type Tokens } from '../../oauth/protocol.ts'
import type { StoredSession } from '../sessions/link-session-store.ts'
import type { LinkDeps } from './link-deps.ts'
import { sessionScopes } from './session-scopes.ts'
import type { OAuth2State, SignInResult, SignInReturn, SignInStart, StartedSignIn } from './sign-in-state.ts'

export const beginOAuth2 = async (
  { baseUrl }: LinkDeps,
  session: StoredSession,
  { connector, app, tenant }: SignInStart,
): Promise<StartedSignIn> => {
  const provider = oauthProvider(connector, app, tenant)
  if (!provider) throw new Error(`${connector.slug} cannot be authorized by OAuth`)
  const scopes = sessionScopes(session, connector, provider.method, provider.app.scopes)
  const { url, state, codeVerifier } = await beginAuthorization(provider, {
    redirect: redirectUri(baseUrl, provider.app.context),
    scopes,
    statePrefix: routingCode(session.organizationId),
  })
  const kept = { type: 'oauth2', code_verifier: codeVerifier.reveal(), scopes, tenant } as const
  return { app: provider.app, url, state, kept }
}

export const finishOAuth2 = async (
  { egress, baseUrl }: LinkDeps,
  organizationId: string,
  { connector, app, kept, parameters, state }: SignInReturn<OAuth2State>,
): Promise<SignInResult> => {
  const provider = oauthProvider(connector, app, kept.tenant)
  if (!provider) throw new OAuthError({ kind: 'exchange_failed' })
  const tokens = await finishAuthorization(
    { egress: egress.onBehalfOf(organizationId) },
    {
      provider,
      parameters,
      state,
      codeVerifier: new Secret(kept.code_verifier),
      redirect: redirectUri(baseUrl, provider.app.context),
      scopes: kept.scopes,
    },
  )
  return {
    secretAt: tenant => oauthSecret(tokens, tenant),
    scopes: tokens.scopes,
    expiresInSeconds: tokens.expiresInSeconds,
    endsInSeconds: endOf(tokens),
    tenant: { ...kept.tenant, ...tokens.learned },
    method: provider.method,
  }
}

/** Without a refresh token, the account must be linked again when the access token expires. */
const endOf = ({ refreshToken, expiresInSeconds, refreshExpiresInSeconds }: Tokens): number | null =>
  refreshToken ? refreshExpiresInSeconds : expiresInSeconds

import * as oauth from 'oauth4webapi'
import type { Secret } from '../../../core/secret.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import { clientSecretBasic } from '../../oauth/client-secret-basic.ts'
import {
  type ClaimSettings,
  type Claims,
  type Identity,
  identityOf,
  isIncomplete,
  mergeClaims,
} from './identity-claims.ts'
import { IdentityError, toIdentityError } from './identity-error.ts'
import { type ProviderDiscovery, through } from './provider-discovery.ts'

/** The OpenID Connect provider of an organization, and the client that is registered there. */
export type IdentityProvider = ClaimSettings & {
  organizationId: string
  issuer: string
  clientId: string
  clientSecret: Secret | null
  scopes: string[]
}

export type ProviderDeps = { egress: Egress; discoverProvider: ProviderDiscovery }

type AuthenticationRequest = { state: string; nonce: string; codeVerifier: string; redirectUri: string }
/** The person signs in again, even with a session at the provider (OpenID Connect Core §3.1.2.1). */
type FreshRequest = { isFresh?: boolean }
/** The provider must state that the person has signed in since then. */
type FreshResponse = { maxAgeSeconds?: number }

/** OpenID Connect Core 1.0 §3.1.2.1 with RFC 7636 S256. */
export const providerAddress = async (
  { discoverProvider }: ProviderDeps,
  { organizationId, issuer, clientId, scopes }: IdentityProvider,
  { state, nonce, codeVerifier, redirectUri, isFresh = false }: AuthenticationRequest & FreshRequest,
): Promise<string> => {
  const server = await discoverProvider(organizationId, issuer).catch((error: unknown) => {
    throw toIdentityError(error)
  })
  const url = new URL(server.authorization_endpoint as string)
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    scope: ['openid', ...scopes.filter(scope => scope !== 'openid')].join(' '),
    state,
    nonce,
    code_challenge: await oauth.calculatePKCECodeChallenge(codeVerifier),
    code_challenge_method: 'S256',
    ...(isFresh && { max_age: '0', prompt: 'login' }),
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/**
 * Checks `state` and `iss` (RFC 9207) before any request, exchanges the code and validates the ID token: issuer, audience, expiry, nonce
 * and signature. Claims that it lacks are read from UserInfo, where providers put them by default (OpenID Connect Core §5.4).
 */
export const readIdentity = async (
  deps: ProviderDeps,
  provider: IdentityProvider,
  { state, nonce, codeVerifier, redirectUri, maxAgeSeconds }: AuthenticationRequest & FreshResponse,
  parameters: URLSearchParams,
): Promise<Identity> => {
  const { organizationId } = provider
  const client: oauth.Client = { client_id: provider.clientId }
  const options = through(deps.egress.onBehalfOf(organizationId))
  try {
    const server = await deps.discoverProvider(organizationId, provider.issuer)
    const validated = oauth.validateAuthResponse(server, client, parameters, state)
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      client,
      clientAuthentication(server, provider.clientSecret),
      validated,
      redirectUri,
      codeVerifier,
      options,
    )
    const answer = await oauth.processAuthorizationCodeResponse(server, client, response, {
      expectedNonce: nonce,
      requireIdToken: true,
      ...(maxAgeSeconds !== undefined && { maxAge: maxAgeSeconds }),
    })
    await oauth.validateApplicationLevelSignature(server, response, options)
    const claims = oauth.getValidatedIdTokenClaims(answer) as oauth.IDToken
    const readUserInfo = () => fetchUserInfo({ server, client, options }, answer.access_token, claims.sub)
    return await completeIdentity(claims, provider, server.userinfo_endpoint ? readUserInfo : null)
  } catch (error) {
    throw toIdentityError(error)
  }
}

/** A failing UserInfo endpoint rejects the sign-in only if the ID token does not identify the user. */
const completeIdentity = async (
  claims: Claims,
  settings: ClaimSettings,
  readUserInfo: (() => Promise<Claims>) | null,
): Promise<Identity> => {
  let identity = identityOf(claims, settings)
  if (readUserInfo && isIncomplete(identity))
    try {
      identity = identityOf(mergeClaims(claims, await readUserInfo()), settings)
    } catch (error) {
      if (typeof identity === 'string') throw error
    }
  if (typeof identity === 'string') throw new IdentityError(identity)
  return identity
}

type Exchange = {
  server: oauth.AuthorizationServer
  client: oauth.Client
  options: ReturnType<typeof through>
}

/** OpenID Connect Core §5.3: JSON or a signed JWT, for the same `sub` as the ID token. An encrypted JWT is rejected. */
const fetchUserInfo = async (
  { server, client, options }: Exchange,
  accessToken: string,
  subject: string,
): Promise<Claims> => {
  const response = await oauth.userInfoRequest(server, client, accessToken, options)
  const isJwt = response.headers.get('content-type')?.startsWith('application/jwt')
  const userInfo = await oauth.processUserInfoResponse(server, client, subject, response)
  if (isJwt) await oauth.validateApplicationLevelSignature(server, response, options)
  return userInfo
}

const clientAuthentication = (
  { token_endpoint_auth_methods_supported: methods = ['client_secret_basic'] }: oauth.AuthorizationServer,
  secret: Secret | null,
): oauth.ClientAuth => {
  if (!secret) return oauth.None()
  return methods.includes('client_secret_basic')
    ? clientSecretBasic(secret.reveal())
    : oauth.ClientSecretPost(secret.reveal())
}

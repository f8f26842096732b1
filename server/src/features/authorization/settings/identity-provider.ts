import type { UserClaim } from '@carabiner/contract'
import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import * as oauth from 'oauth4webapi'
import type { Secret } from '../../../core/secret.ts'
import type { Egress } from '../../../platform/egress/egress.ts'
import { clientSecretBasic } from '../../oauth/client-secret-basic.ts'

/** The OpenID Connect provider of an organization, and the client that is registered there. */
export type IdentityProvider = {
  issuer: string
  clientId: string
  clientSecret: Secret | null
  scopes: string[]
  userClaim: UserClaim
}

/** The person that the provider has signed in. */
export type Identity = { originUserId: string; name: string | null; email: string | null }

export type IdentityFailure = 'denied' | 'provider_failed' | 'claim_missing'

export class IdentityError extends Error {
  readonly failure: IdentityFailure

  constructor(failure: IdentityFailure, cause?: unknown) {
    super(`identity provider: ${failure}`, { cause })
    this.name = 'IdentityError'
    this.failure = failure
  }
}

// The egress decides where plain HTTP is allowed: to loopback, in development.
const through = (egress: Egress) => ({
  [oauth.customFetch]: (url: string, init: object) => egress.fetch(url, init),
  [oauth.allowInsecureRequests]: true,
})

/** OpenID Connect Discovery 1.0 §4. Read for each sign-in, so that a change at the provider takes effect at once. */
export const discoverProvider = async (
  egress: Egress,
  issuer: string,
): Promise<oauth.AuthorizationServer> => {
  const url = new URL(issuer)
  const response = await oauth.discoveryRequest(url, { algorithm: 'oidc', ...through(egress) })
  const server = await oauth.processDiscoveryResponse(url, response)
  for (const endpoint of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    const address = server[endpoint]
    if (address === undefined) throw new Error(`the metadata of the provider has no ${endpoint}`)
    await egress.mayCall(address)
  }
  return server
}

type AuthenticationRequest = { state: string; nonce: string; codeVerifier: string; redirectUri: string }

/** OpenID Connect Core 1.0 §3.1.2.1 with RFC 7636 S256. */
export const providerAddress = async (
  egress: Egress,
  { issuer, clientId, scopes }: IdentityProvider,
  { state, nonce, codeVerifier, redirectUri }: AuthenticationRequest,
): Promise<string> => {
  const server = await discoverProvider(egress, issuer).catch((error: unknown) => {
    throw new IdentityError('provider_failed', error)
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
  }
  for (const [name, value] of Object.entries(parameters)) url.searchParams.set(name, value)
  return url.href
}

/**
 * Checks `state` and `iss` (RFC 9207) before any request, exchanges the code and validates the ID token: issuer, audience, expiry, nonce
 * and signature.
 */
export const readIdentity = async (
  egress: Egress,
  provider: IdentityProvider,
  { state, nonce, codeVerifier, redirectUri }: AuthenticationRequest,
  parameters: URLSearchParams,
): Promise<Identity> => {
  const client: oauth.Client = { client_id: provider.clientId }
  const options = through(egress)
  try {
    const server = await discoverProvider(egress, provider.issuer)
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
    })
    await oauth.validateApplicationLevelSignature(server, response, options)
    return identityOf(oauth.getValidatedIdTokenClaims(answer) ?? {}, provider.userClaim)
  } catch (error) {
    if (error instanceof IdentityError) throw error
    const isDenied = error instanceof oauth.AuthorizationResponseError && error.error === 'access_denied'
    throw new IdentityError(isDenied ? 'denied' : 'provider_failed', error)
  }
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

type Claims = { [claim: string]: unknown }

/** Of an API: `origin_user_id`, `origin_user_name` and `email` have at most 255 characters. */
const MAX_CLAIM_LENGTH = 255

/** An address that the provider has not verified could belong to another person. */
export const identityOf = (claims: Claims, userClaim: UserClaim): Identity => {
  const verifiedEmail = claims.email_verified === true ? textOf(claims.email) : null
  const originUserId = userClaim === 'sub' ? textOf(claims.sub) : verifiedEmail
  if (originUserId === null) throw new IdentityError('claim_missing')
  return { originUserId, name: textOf(claims.name), email: verifiedEmail }
}

const textOf = (value: unknown): string | null =>
  typeof value === 'string' &&
  value.trim() !== '' &&
  value.length <= MAX_CLAIM_LENGTH &&
  value.isWellFormed() &&
  !value.includes('\0')
    ? value
    : null

/** What an assertion says: who may act for whom, and where. */
export type Assertion = {
  id: string
  clientId: string
  resource: string
  identity: Identity
}

/** Assertions are presented at once. */
export const MAX_ASSERTION_SECONDS = 300
const ASYMMETRIC = [
  'RS256',
  'RS384',
  'RS512',
  'PS256',
  'PS384',
  'PS512',
  'ES256',
  'ES384',
  'ES512',
  'EdDSA',
  'Ed25519',
]

/**
 * Identity Assertion JWT Authorization Grant §4.4: a JWT of the provider for this authorization server and one of its clients. Null if it is
 * invalid. `audience`: our issuer.
 */
export const readAssertion = async (
  egress: Egress,
  { issuer, userClaim }: IdentityProvider,
  { assertion, audience }: { assertion: string; audience: string },
): Promise<Assertion | null> => {
  const server = await discoverProvider(egress, issuer).catch((error: unknown) => {
    throw new IdentityError('provider_failed', error)
  })
  const { status, body } = await egress
    .request({ url: server.jwks_uri as string, method: 'GET' })
    .catch((error: unknown) => {
      throw new IdentityError('provider_failed', error)
    })
  if (status !== 200) throw new IdentityError('provider_failed')
  try {
    const keys = createLocalJWKSet(JSON.parse(body.toString()) as JSONWebKeySet)
    const { payload } = await jwtVerify(assertion, keys, {
      typ: 'oauth-id-jag+jwt',
      issuer: server.issuer,
      audience,
      algorithms: ASYMMETRIC,
      maxTokenAge: MAX_ASSERTION_SECONDS,
      requiredClaims: ['sub', 'exp', 'iat', 'jti', 'client_id', 'resource'],
    })
    // RFC 7523 §3 allows several audiences; an assertion for several servers could be replayed at another one.
    const { jti, client_id: clientId, resource, aud } = payload
    if (
      aud !== audience ||
      typeof jti !== 'string' ||
      typeof clientId !== 'string' ||
      typeof resource !== 'string'
    )
      return null
    return { id: jti, clientId, resource, identity: identityOf(payload, userClaim) }
  } catch {
    return null
  }
}

import { createLocalJWKSet, type JSONWebKeySet, jwtVerify } from 'jose'
import { type ClaimProblem, type Identity, identityOf } from './identity-claims.ts'
import { IdentityError, toIdentityError } from './identity-error.ts'
import type { IdentityProvider, ProviderDeps } from './identity-provider.ts'

/** What an assertion says: who may act for whom, and where. */
export type Assertion = {
  id: string
  clientId: string
  resource: string
  identity: Identity | ClaimProblem
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
  deps: ProviderDeps,
  provider: IdentityProvider,
  { assertion, audience }: { assertion: string; audience: string },
): Promise<Assertion | null> => {
  const { issuer, keys } = await readKeys(deps, provider).catch((error: unknown) => {
    throw toIdentityError(error)
  })
  try {
    const { payload } = await jwtVerify(assertion, createLocalJWKSet(keys), {
      typ: 'oauth-id-jag+jwt',
      issuer,
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
    return { id: jti, clientId, resource, identity: identityOf(payload, provider) }
  } catch {
    return null
  }
}

const readKeys = async (
  { egress, discoverProvider }: ProviderDeps,
  { organizationId, issuer }: IdentityProvider,
): Promise<{ issuer: string; keys: JSONWebKeySet }> => {
  const server = await discoverProvider(organizationId, issuer)
  const { status, body } = await egress
    .onBehalfOf(organizationId)
    .request({ url: server.jwks_uri as string, method: 'GET' })
  if (status !== 200) throw new IdentityError('provider_failed')
  return { issuer: server.issuer, keys: JSON.parse(body.toString()) as JSONWebKeySet }
}

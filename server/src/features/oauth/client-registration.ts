import { SECOND } from '../../core/duration.ts'
import { Secret } from '../../core/secret.ts'
import type { Egress, EgressResponse } from '../../platform/egress/egress.ts'
import type { DiscoveredServer } from './discovery.ts'
import { toDiscoveryError } from './discovery-document.ts'
import { DiscoveryError } from './discovery-error.ts'

/**
 * Client authentication methods, in order of preference. A secret in the body is unambiguous; for the Basic header, RFC
 * 6749 §2.3.1 requires form-encoding, which many servers do not decode. `none`: PKCE only.
 */
const AUTH_METHODS = ['client_secret_post', 'client_secret_basic', 'none'] as const
export type TokenEndpointAuthMethod = (typeof AUTH_METHODS)[number]

export type RegisteredClient = {
  clientId: string
  clientSecret: Secret | null
  tokenEndpointAuthMethod: TokenEndpointAuthMethod
  /** RFC 7591 §3.2.1. Null: the secret does not expire. */
  clientSecretExpiresAt: Date | null
}

const REGISTRATION_TIMEOUT_MS = 10 * SECOND
const MAX_RESPONSE_BYTES = 64 * 1024

/** RFC 7591: registers this service as a client of the authorization server. */
export const registerClient = async (
  { egress }: { egress: Egress },
  discovered: DiscoveredServer,
  client: { redirectUri: string; clientName: string; clientUri: string },
): Promise<RegisteredClient> => {
  const url = discovered.registration_endpoint
  if (!url)
    throw new DiscoveryError(
      'registration_unsupported',
      'The authorization server does not support dynamic client registration. Register a client there and provide its client ID.',
    )
  const supported = discovered.token_endpoint_auth_methods_supported
  const method = AUTH_METHODS.find(known => supported.includes(known))
  if (!method)
    throw new DiscoveryError(
      'registration_unsupported',
      'The authorization server supports no client authentication method that this service supports.',
    )
  const answer = await send(egress, url, {
    client_name: client.clientName,
    client_uri: client.clientUri,
    redirect_uris: [client.redirectUri],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code'],
    token_endpoint_auth_method: method,
    // OpenID Connect Registration §2: redirect URIs of web clients must use https and must not be local.
    application_type: isLocal(client.redirectUri) ? 'native' : 'web',
    ...(discovered.scopes.length > 0 && { scope: discovered.scopes.join(' ') }),
  })
  return readClient(readBody(answer), method, client.redirectUri)
}

const isLocal = (redirectUri: string): boolean => new URL(redirectUri).protocol !== 'https:'

const send = async (egress: Egress, url: string, metadata: object): Promise<EgressResponse> => {
  try {
    return await egress.request({
      url,
      method: 'POST',
      headers: { accept: 'application/json', 'content-type': 'application/json' },
      body: JSON.stringify(metadata),
      timeoutMs: REGISTRATION_TIMEOUT_MS,
      maxBytes: MAX_RESPONSE_BYTES,
    })
  } catch (error) {
    throw toDiscoveryError(error, url, 'registration_endpoint')
  }
}

const registrationRefused = (reason: string): DiscoveryError =>
  new DiscoveryError(
    'registration_refused',
    `The authorization server did not register this client: ${reason}.`,
  )

const readBody = (answer: EgressResponse): Record<string, unknown> => {
  const body = parse(answer.body)
  // §3.2.1 requires status 201, but some servers return 200.
  if (answer.status === 201 || answer.status === 200) {
    if (!body) throw registrationRefused('the response is not JSON')
    return body
  }
  const error = typeof body?.error === 'string' && /^[\x20-\x7E]{1,80}$/.test(body.error) ? body.error : null
  throw registrationRefused(error ?? `status ${answer.status}`)
}

const parse = (body: Buffer): Record<string, unknown> | null => {
  try {
    const value: unknown = JSON.parse(body.toString('utf8'))
    return value !== null && typeof value === 'object' ? (value as Record<string, unknown>) : null
  } catch {
    return null
  }
}

const readClient = (
  body: Record<string, unknown>,
  requested: TokenEndpointAuthMethod,
  redirectUri: string,
): RegisteredClient => {
  const { client_id: id, client_secret: secret, client_secret_expires_at: expires } = body
  // RFC 6749 appendix A.1 and A.2: printable characters.
  if (typeof id !== 'string' || !/^[\x20-\x7E]{1,2048}$/.test(id))
    throw registrationRefused('the response has no client ID')
  const clientSecret = typeof secret === 'string' && /^[\x20-\x7E]{1,2048}$/.test(secret) ? secret : null
  const registered = body.token_endpoint_auth_method ?? requested
  const method = AUTH_METHODS.find(known => known === registered)
  if (!method) throw registrationRefused('it requires an unsupported client authentication method')
  if (method !== 'none' && clientSecret === null)
    throw registrationRefused('the response has no client secret')
  if (Array.isArray(body.redirect_uris) && !body.redirect_uris.includes(redirectUri))
    throw registrationRefused('it registered a different redirect URI')
  return {
    clientId: id,
    clientSecret: method === 'none' || clientSecret === null ? null : new Secret(clientSecret),
    tokenEndpointAuthMethod: method,
    clientSecretExpiresAt: typeof expires === 'number' && expires > 0 ? new Date(expires * 1000) : null,
  }
}

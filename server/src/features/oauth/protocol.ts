import type { OAuthMethod } from '@carabiner/contract'
import * as oauth from 'oauth4webapi'
import { DAY, SECOND } from '../../core/duration.ts'
import { Secret } from '../../core/secret.ts'
import { type Egress, EgressError } from '../../platform/egress/egress.ts'
import { type LearnedSources, learnValues } from '../upstream/http/learned-values.ts'
import { fillHeaders, fillText, fillValue } from '../upstream/templates/template.ts'
import { clientAuthentication } from './client-authentication.ts'
import { isScope } from './discovery.ts'
import type { OAuthApp } from './oauth-app.ts'
import { adaptedFetch, errorCodeOf } from './token-endpoint.ts'

/** The tokens from a token endpoint. Scopes are those granted or, if the response has none, those requested (RFC 6749 §5.1). */
export type Tokens = {
  accessToken: Secret
  refreshToken: Secret | null
  scopes: string[]
  expiresInSeconds: number | null
  /** Lifetime of the refresh token. Null: not stated. */
  refreshExpiresInSeconds: number | null
  /** Values for address variables, read from the response as defined in the connector's file. */
  learned: Record<string, string>
}

export type OAuthFailure =
  | { kind: 'denied' }
  | { kind: 'provider_error'; error: string }
  | { kind: 'issuer_mismatch' }
  | { kind: 'invalid_grant' }
  | { kind: 'exchange_failed' }
  | { kind: 'provider_timeout' }
  | { kind: 'provider_unavailable' }
  /** The provider refuses the client certificate of the account in the TLS handshake. */
  | { kind: 'certificate_refused' }
  /** The account has no site that the connector can use. */
  | { kind: 'no_site' }

export class OAuthError extends Error {
  readonly failure: OAuthFailure

  constructor(failure: OAuthFailure, cause?: unknown) {
    super(`OAuth: ${failure.kind}`, { cause })
    this.name = 'OAuthError'
    this.failure = failure
  }
}

/** An authorization server and the client used there. Its addresses contain no variables. */
export type OAuthProvider = {
  method: OAuthMethod
  app: OAuthApp
  /** The errors, returned with status 200, that mean that a token was already revoked. */
  revokedTokenErrors?: string[]
}
type Outbound = { egress: Egress }

const serverOf = ({ issuer, ...method }: OAuthMethod): oauth.AuthorizationServer => ({
  issuer: issuer ?? new URL(method.authorization_endpoint).origin,
  authorization_endpoint: method.authorization_endpoint,
  token_endpoint: method.token_endpoint,
  ...(method.revocation && { revocation_endpoint: method.revocation.endpoint }),
})

const clientOf = ({ app }: OAuthProvider): oauth.Client => ({ client_id: app.clientId })

// The egress decides where plain HTTP is allowed: to loopback, in development.
const options = ({ egress }: Outbound, { method }: OAuthProvider, pointers = method.token_response) => ({
  [oauth.customFetch]: adaptedFetch(egress, method, pointers),
  [oauth.allowInsecureRequests]: true,
  ...(method.resource !== undefined && { additionalParameters: { resource: method.resource } }),
})

const usesPkce = ({ pkce }: OAuthMethod): boolean => pkce !== 'rejected'

export type AuthorizationRequest = { url: string; state: string; codeVerifier: Secret }

/** RFC 6749 §4.1.1 with RFC 7636 S256. */
export const beginAuthorization = async (
  provider: OAuthProvider,
  { redirect, scopes, statePrefix }: { redirect: string; scopes: string[]; statePrefix: string },
): Promise<AuthorizationRequest> => {
  const { method, app } = provider
  const state = statePrefix + oauth.generateRandomState()
  const codeVerifier = oauth.generateRandomCodeVerifier()
  const url = new URL(method.authorization_endpoint)
  for (const [name, value] of Object.entries(method.extra_authorization_parameters ?? {}))
    url.searchParams.set(name, value)
  url.searchParams.set('response_type', 'code')
  url.searchParams.set('client_id', app.clientId)
  url.searchParams.set('redirect_uri', redirect)
  if (scopes.length > 0)
    url.searchParams.set(method.scope_parameter ?? 'scope', scopes.join(method.scope_separator ?? ' '))
  if (method.resource !== undefined) url.searchParams.set('resource', method.resource)
  url.searchParams.set('state', state)
  if (usesPkce(method)) {
    url.searchParams.set('code_challenge', await oauth.calculatePKCECodeChallenge(codeVerifier))
    url.searchParams.set('code_challenge_method', 'S256')
  }
  return { url: url.href, state, codeVerifier: new Secret(codeVerifier) }
}

type CallbackInput = {
  provider: OAuthProvider
  parameters: URLSearchParams
  state: string
  codeVerifier: Secret
  redirect: string
  /** The requested scopes, the default if the response contains none. */
  scopes: string[]
}

/** Checks the issuer before any request (RFC 9207 §2.4), so that a code is never sent to a server that did not issue it. */
export const finishAuthorization = async (outbound: Outbound, input: CallbackInput): Promise<Tokens> => {
  const { provider, redirect } = input
  const server = serverOf(provider.method)
  const validated = validateCallback(server, input)
  try {
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      clientOf(provider),
      clientAuthentication(provider),
      validated,
      redirect,
      usesPkce(provider.method) ? input.codeVerifier.reveal() : oauth.nopkce,
      options(outbound, provider),
    )
    const answer = await oauth.processAuthorizationCodeResponse(server, clientOf(provider), response)
    const sources = { token_response: answer.raw, callback: input.parameters }
    return { ...toTokens(answer, input.scopes), learned: requireLearned(provider.method, sources) }
  } catch (error) {
    throw error instanceof OAuthError ? error : toOAuthError(error)
  }
}

const validateCallback = (
  server: oauth.AuthorizationServer,
  { provider, parameters, state }: CallbackInput,
): URLSearchParams => {
  const { issuer, issuer_in_response } = provider.method
  const expectsIssuer = issuer !== undefined && (issuer_in_response === true || parameters.has('iss'))
  try {
    return oauth.validateAuthResponse(
      { ...server, authorization_response_iss_parameter_supported: expectsIssuer },
      clientOf(provider),
      withoutForeignIssuer(parameters, provider.method),
      state,
    )
  } catch (error) {
    if (error instanceof oauth.AuthorizationResponseError) {
      throw new OAuthError(
        error.error === 'access_denied' ? { kind: 'denied' } : { kind: 'provider_error', error: error.error },
        error,
      )
    }
    throw new OAuthError(
      /iss/.test((error as Error).message)
        ? { kind: 'issuer_mismatch' }
        : { kind: 'provider_error', error: 'invalid_response' },
      error,
    )
  }
}

/** Without an issuer in the connector's file, `iss` cannot be compared. */
const withoutForeignIssuer = (parameters: URLSearchParams, method: OAuthMethod): URLSearchParams => {
  const copy = new URLSearchParams(parameters)
  if (method.issuer === undefined) copy.delete('iss')
  return copy
}

/** What the answer to an invalid code shows about the client. `error`: the code that the server returned. */
export type ClientCheck =
  | { kind: 'accepted' | 'rejected' | 'unknown'; error: string | null }
  | { kind: 'unavailable' }

/**
 * Presents a code that was never issued. A server authenticates the client first (RFC 6749 §4.1.3), so `invalid_grant` means that it
 * accepted the client.
 */
export const checkClient = async (
  outbound: Outbound,
  provider: OAuthProvider,
  redirect: string,
): Promise<ClientCheck> => {
  const server = serverOf(provider.method)
  const state = oauth.generateRandomState()
  const code = oauth.generateRandomState()
  const callback = new URLSearchParams({ code, state })
  try {
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      clientOf(provider),
      clientAuthentication(provider),
      oauth.validateAuthResponse(server, clientOf(provider), callback, state),
      redirect,
      usesPkce(provider.method) ? oauth.generateRandomCodeVerifier() : oauth.nopkce,
      options(outbound, provider),
    )
    await oauth.processAuthorizationCodeResponse(server, clientOf(provider), response)
    return { kind: 'unknown', error: null }
  } catch (error) {
    return readClientError(error)
  }
}

/** Codes of RFC 6749 §5.2, and the variants of providers: `bad_verification_code`, `incorrect_client_credentials`. */
const readClientError = (error: unknown): ClientCheck => {
  if (error instanceof oauth.WWWAuthenticateChallengeError) return { kind: 'rejected', error: null }
  if (error instanceof oauth.ResponseBodyError) {
    const code = /^[\x21-\x7e]{1,100}$/.test(error.error) ? error.error : null
    if (/client/i.test(error.error)) return { kind: 'rejected', error: code }
    return { kind: /grant|code/i.test(error.error) ? 'accepted' : 'unknown', error: code }
  }
  const { kind } = toOAuthError(error).failure
  const isDown = kind === 'provider_timeout' || kind === 'provider_unavailable'
  return isDown ? { kind: 'unavailable' } : { kind: 'unknown', error: null }
}

/** RFC 6749 §6. If the response contains a new refresh token, the old one is used up. */
export const refreshTokens = async (
  outbound: Outbound,
  provider: OAuthProvider,
  refreshToken: Secret,
  granted: string[],
): Promise<Tokens> => {
  const { refresh, token_endpoint, token_response } = provider.method
  const server = { ...serverOf(provider.method), token_endpoint: refresh?.endpoint ?? token_endpoint }
  try {
    const response = await oauth.refreshTokenGrantRequest(
      server,
      clientOf(provider),
      clientAuthentication(provider),
      refreshToken.reveal(),
      options(outbound, provider, refresh?.response ?? token_response),
    )
    return toTokens(await oauth.processRefreshTokenResponse(server, clientOf(provider), response), granted)
  } catch (error) {
    throw toOAuthError(error)
  }
}

/** RFC 7009, or a provider-specific request. A token that the server does not know counts as revoked (§2.2). */
export const revokeToken = async (
  outbound: Outbound,
  provider: OAuthProvider,
  token: Secret,
): Promise<void> => {
  if (provider.method.revocation?.style === 'request') return revokeByRequest(outbound, provider, token)
  try {
    const response = await oauth.revocationRequest(
      serverOf(provider.method),
      clientOf(provider),
      clientAuthentication(provider),
      token.reveal(),
      {
        [oauth.customFetch]: (url: string, init?: RequestInit) => outbound.egress.fetch(url, init),
        [oauth.allowInsecureRequests]: true,
      },
    )
    await oauth.processRevocationResponse(response)
  } catch (error) {
    throw toOAuthError(error)
  }
}

/** Status codes for a token that was already revoked. */
const ALREADY_REVOKED_STATUSES = new Set([401, 404, 410, 422])

const revokeByRequest = async (
  { egress }: Outbound,
  { method, app, revokedTokenErrors = [] }: OAuthProvider,
  token: Secret,
): Promise<void> => {
  const { revocation } = method
  if (!revocation) return
  const values = {
    token: token.reveal(),
    client_id: app.clientId,
    client_secret: app.clientSecret?.reveal() ?? '',
  }
  const body = revocation.body === undefined ? undefined : JSON.stringify(fillValue(revocation.body, values))
  const basic = Buffer.from(`${values.client_id}:${values.client_secret}`).toString('base64')
  try {
    const answer = await egress.request({
      url: fillText(revocation.endpoint, values, encodeURIComponent) ?? revocation.endpoint,
      method: revocation.method ?? 'POST',
      headers: {
        accept: 'application/json',
        ...(body !== undefined && { 'content-type': 'application/json' }),
        ...fillHeaders(revocation.headers, values),
        ...(revocation.basic && { authorization: `Basic ${basic}` }),
      },
      ...(body !== undefined && { body }),
    })
    if (answer.status >= 400 && !ALREADY_REVOKED_STATUSES.has(answer.status))
      throw new OAuthError({ kind: answer.status >= 500 ? 'provider_unavailable' : 'exchange_failed' })
    const errorCode = errorCodeOf(answer.body.toString('utf8'), method.token_response)
    if (answer.status < 300 && errorCode !== null && !revokedTokenErrors.includes(errorCode))
      throw new OAuthError(
        { kind: 'exchange_failed' },
        new Error(`the provider returned the error ${errorCode}`),
      )
  } catch (error) {
    throw error instanceof OAuthError ? error : toOAuthError(error)
  }
}

/** Larger tokens do not fit into a header. */
const MAX_TOKEN_LENGTH = 16 * 1024
const MAX_SCOPES = 500
/** Limits the lifetime to a plausible value. */
const MAX_LIFETIME_SECONDS = (3650 * DAY) / SECOND

const toTokens = (answer: oauth.TokenEndpointResponse, requested: string[]): Tokens => ({
  accessToken: readToken(answer.access_token),
  refreshToken: answer.refresh_token ? readToken(answer.refresh_token) : null,
  scopes: answer.scope === undefined ? requested : readScopes(answer.scope),
  expiresInSeconds:
    answer.expires_in === undefined ? null : Math.min(answer.expires_in, MAX_LIFETIME_SECONDS),
  refreshExpiresInSeconds:
    typeof answer.refresh_token_expires_in === 'number'
      ? Math.min(answer.refresh_token_expires_in, MAX_LIFETIME_SECONDS)
      : null,
  learned: {},
})

/** RFC 6749 appendix A.12 and A.17: printable characters only, because tokens are sent in headers and forms. */
const readToken = (token: string): Secret => {
  if (token.length > MAX_TOKEN_LENGTH || !/^[\x20-\x7e]+$/.test(token))
    throw new OAuthError({ kind: 'exchange_failed' }, new Error('malformed token'))
  return new Secret(token)
}

const readScopes = (scope: string): string[] =>
  [...new Set(scope.split(/[ ,]+/))].filter(isScope).slice(0, MAX_SCOPES)

/** All address variables must be known; the credential could not be used without them. */
export const requireLearned = (method: OAuthMethod, sources: LearnedSources): Record<string, string> => {
  const { values, missing } = learnValues(method, sources)
  if (missing.length > 0)
    throw new OAuthError(
      { kind: 'exchange_failed' },
      new Error(`no valid value was returned for ${missing.join(', ')}`),
    )
  return values
}

const toOAuthError = (error: unknown): OAuthError => {
  const egress =
    error instanceof EgressError
      ? error
      : (error as Error).cause instanceof EgressError
        ? ((error as Error).cause as EgressError)
        : null
  if (egress)
    return new OAuthError(
      { kind: egress.failure === 'timeout' ? 'provider_timeout' : 'provider_unavailable' },
      egress,
    )
  if (error instanceof oauth.ResponseBodyError) {
    return new OAuthError(
      { kind: error.error === 'invalid_grant' ? 'invalid_grant' : 'exchange_failed' },
      error,
    )
  }
  const { cause } = error as Error
  if (cause instanceof Response && cause.status >= 500)
    return new OAuthError({ kind: 'provider_unavailable' }, error)
  return new OAuthError({ kind: 'exchange_failed' }, error)
}

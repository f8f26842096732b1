import type { OAuthMethod } from '@carabiner/contract'
import * as oauth from 'oauth4webapi'
import { Secret } from '../../core/secret.ts'
import { type Egress, EgressError } from '../../platform/egress.ts'
import type { OAuthApp } from './oauth-app.ts'

/** What a token endpoint gave. Scopes are as granted; where the provider does not say, as requested (RFC 6749 §5.1). */
export type Tokens = {
  accessToken: Secret
  refreshToken: Secret | null
  scopes: string[]
  expiresInSeconds: number | null
}

export type OAuthFailure =
  | { kind: 'denied' }
  | { kind: 'provider_error'; error: string }
  | { kind: 'issuer_mismatch' }
  | { kind: 'invalid_grant' }
  | { kind: 'exchange_failed' }
  | { kind: 'provider_timeout' }
  | { kind: 'provider_unavailable' }

export class OAuthError extends Error {
  readonly failure: OAuthFailure

  constructor(failure: OAuthFailure, cause?: unknown) {
    super(`OAuth: ${failure.kind}`, { cause })
    this.name = 'OAuthError'
    this.failure = failure
  }
}

export type Party = { method: OAuthMethod; app: OAuthApp }
type Outbound = { egress: Egress }

const serverOf = ({ issuer, ...method }: OAuthMethod): oauth.AuthorizationServer => ({
  issuer: issuer ?? new URL(method.authorization_endpoint).origin,
  authorization_endpoint: method.authorization_endpoint,
  token_endpoint: method.token_endpoint,
  ...(method.revocation && { revocation_endpoint: method.revocation.endpoint }),
})

const clientOf = ({ app }: Party): oauth.Client => ({ client_id: app.clientId })

const clientAuth = ({ method, app }: Party): oauth.ClientAuth =>
  method.token_endpoint_auth === 'client_secret_post'
    ? oauth.ClientSecretPost(app.clientSecret.reveal())
    : oauth.ClientSecretBasic(app.clientSecret.reveal())

// The egress decides where plain HTTP may go: to loopback, in development.
const options = ({ egress }: Outbound) => ({
  [oauth.customFetch]: (url: string, init?: RequestInit) => egress.fetch(url, init),
  [oauth.allowInsecureRequests]: true,
})

export type AuthorizationRequest = { url: string; state: string; codeVerifier: Secret }

/** RFC 6749 §4.1.1 with RFC 7636 S256. */
export const beginAuthorization = async (party: Party, redirect: string): Promise<AuthorizationRequest> => {
  const { method, app } = party
  const state = oauth.generateRandomState()
  const codeVerifier = oauth.generateRandomCodeVerifier()
  const url = new URL(method.authorization_endpoint)
  for (const [name, value] of Object.entries(method.extra_authorization_parameters ?? {}))
    url.searchParams.set(name, value)
  url.searchParams.set('response_type', 'code')
  url.searchParams.set('client_id', app.clientId)
  url.searchParams.set('redirect_uri', redirect)
  url.searchParams.set('scope', method.scopes.map(scope => scope.name).join(' '))
  url.searchParams.set('state', state)
  if (method.pkce === 'S256') {
    url.searchParams.set('code_challenge', await oauth.calculatePKCECodeChallenge(codeVerifier))
    url.searchParams.set('code_challenge_method', 'S256')
  }
  return { url: url.href, state, codeVerifier: new Secret(codeVerifier) }
}

type CallbackInput = {
  party: Party
  parameters: URLSearchParams
  state: string
  codeVerifier: Secret
  redirect: string
}

/** The issuer is checked before anything leaves (RFC 9207 §2.4): a code never reaches a server that did not issue it. */
export const finishAuthorization = async (outbound: Outbound, input: CallbackInput): Promise<Tokens> => {
  const { party, redirect } = input
  const server = serverOf(party.method)
  const validated = validateCallback(server, input)
  const requested = party.method.scopes.map(scope => scope.name)
  try {
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      clientOf(party),
      clientAuth(party),
      validated,
      redirect,
      party.method.pkce === 'S256' ? input.codeVerifier.reveal() : oauth.nopkce,
      options(outbound),
    )
    return toTokens(
      await oauth.processAuthorizationCodeResponse(server, clientOf(party), response),
      requested,
    )
  } catch (error) {
    throw explain(error)
  }
}

const validateCallback = (
  server: oauth.AuthorizationServer,
  { party, parameters, state }: CallbackInput,
): URLSearchParams => {
  const expectsIssuer = party.method.issuer !== undefined && parameters.has('iss')
  try {
    return oauth.validateAuthResponse(
      { ...server, authorization_response_iss_parameter_supported: expectsIssuer },
      clientOf(party),
      withoutForeignIssuer(parameters, party.method),
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

/** Where the connector's file names no issuer there is nothing to compare an `iss` with. */
const withoutForeignIssuer = (parameters: URLSearchParams, method: OAuthMethod): URLSearchParams => {
  const copy = new URLSearchParams(parameters)
  if (method.issuer === undefined) copy.delete('iss')
  return copy
}

/** RFC 6749 §6. The answer may carry a new refresh token; the old one is then spent. */
export const refreshTokens = async (
  outbound: Outbound,
  party: Party,
  refreshToken: Secret,
  granted: string[],
): Promise<Tokens> => {
  const server = serverOf(party.method)
  try {
    const response = await oauth.refreshTokenGrantRequest(
      server,
      clientOf(party),
      clientAuth(party),
      refreshToken.reveal(),
      options(outbound),
    )
    return toTokens(await oauth.processRefreshTokenResponse(server, clientOf(party), response), granted)
  } catch (error) {
    throw explain(error)
  }
}

/** RFC 7009. A token the server no longer knows counts as revoked (§2.2). */
export const revokeToken = async (outbound: Outbound, party: Party, token: Secret): Promise<void> => {
  try {
    const response = await oauth.revocationRequest(
      serverOf(party.method),
      clientOf(party),
      clientAuth(party),
      token.reveal(),
      options(outbound),
    )
    await oauth.processRevocationResponse(response)
  } catch (error) {
    throw explain(error)
  }
}

const toTokens = (answer: oauth.TokenEndpointResponse, otherwise: string[]): Tokens => ({
  accessToken: new Secret(answer.access_token),
  refreshToken: answer.refresh_token ? new Secret(answer.refresh_token) : null,
  scopes: answer.scope === undefined ? otherwise : answer.scope.split(' ').filter(Boolean),
  expiresInSeconds: answer.expires_in ?? null,
})

const explain = (error: unknown): OAuthError => {
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

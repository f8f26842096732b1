import type { OAuthMethod } from '@carabiner/contract'
import * as oauth from 'oauth4webapi'
import { DAY, SECOND } from '../../core/duration.ts'
import { Secret } from '../../core/secret.ts'
import { type Egress, EgressError } from '../../platform/egress/egress.ts'
import { type LearnedSources, learnValues } from '../upstream/http/learned-values.ts'
import { fillHeaders, fillText, fillValue } from '../upstream/http/template.ts'
import { clientAuthentication } from './client-authentication.ts'
import { isScope } from './discovery.ts'
import type { OAuthApp } from './oauth-app.ts'
import { adaptedFetch, refusalOf } from './token-endpoint.ts'

/** What a token endpoint gave. Scopes are as granted; where the provider does not say, as requested (RFC 6749 §5.1). */
export type Tokens = {
  accessToken: Secret
  refreshToken: Secret | null
  scopes: string[]
  expiresInSeconds: number | null
  /** What the connector's file says is told on this way: parts of the customer's own addresses. */
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
  /** The account has no site that the connector could work with. */
  | { kind: 'no_site' }

export class OAuthError extends Error {
  readonly failure: OAuthFailure

  constructor(failure: OAuthFailure, cause?: unknown) {
    super(`OAuth: ${failure.kind}`, { cause })
    this.name = 'OAuthError'
    this.failure = failure
  }
}

/** One customer's authorization server, the client that asks there, and what for. Its addresses are whole. */
export type Party = {
  method: OAuthMethod
  app: OAuthApp
  /** What the third party says of a token that has ended, where it says so with status 200. */
  endedTokenErrors?: string[]
}
type Outbound = { egress: Egress }

const serverOf = ({ issuer, ...method }: OAuthMethod): oauth.AuthorizationServer => ({
  issuer: issuer ?? new URL(method.authorization_endpoint).origin,
  authorization_endpoint: method.authorization_endpoint,
  token_endpoint: method.token_endpoint,
  ...(method.revocation && { revocation_endpoint: method.revocation.endpoint }),
})

const clientOf = ({ app }: Party): oauth.Client => ({ client_id: app.clientId })

// The egress decides where plain HTTP may go: to loopback, in development.
const options = ({ egress }: Outbound, { method }: Party, pointers = method.token_response) => ({
  [oauth.customFetch]: adaptedFetch(egress, method, pointers),
  [oauth.allowInsecureRequests]: true,
  ...(method.resource !== undefined && { additionalParameters: { resource: method.resource } }),
})

const usesPkce = ({ pkce }: OAuthMethod): boolean => pkce !== 'rejected'

export type AuthorizationRequest = { url: string; state: string; codeVerifier: Secret }

/** RFC 6749 §4.1.1 with RFC 7636 S256. */
export const beginAuthorization = async (
  party: Party,
  redirect: string,
  scopes: string[],
): Promise<AuthorizationRequest> => {
  const { method, app } = party
  const state = oauth.generateRandomState()
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
  party: Party
  parameters: URLSearchParams
  state: string
  codeVerifier: Secret
  redirect: string
  /** What was asked for: what is granted where the answer does not say. */
  scopes: string[]
}

/** The issuer is checked before anything leaves (RFC 9207 §2.4): a code never reaches a server that did not issue it. */
export const finishAuthorization = async (outbound: Outbound, input: CallbackInput): Promise<Tokens> => {
  const { party, redirect } = input
  const server = serverOf(party.method)
  const validated = validateCallback(server, input)
  try {
    const response = await oauth.authorizationCodeGrantRequest(
      server,
      clientOf(party),
      clientAuthentication(party),
      validated,
      redirect,
      usesPkce(party.method) ? input.codeVerifier.reveal() : oauth.nopkce,
      options(outbound, party),
    )
    const answer = await oauth.processAuthorizationCodeResponse(server, clientOf(party), response)
    const told = { token_response: answer.raw, callback: input.parameters }
    return { ...toTokens(answer, input.scopes), learned: requireLearned(party.method, told) }
  } catch (error) {
    throw error instanceof OAuthError ? error : explain(error)
  }
}

const validateCallback = (
  server: oauth.AuthorizationServer,
  { party, parameters, state }: CallbackInput,
): URLSearchParams => {
  const { issuer, issuer_in_response } = party.method
  const expectsIssuer = issuer !== undefined && (issuer_in_response === true || parameters.has('iss'))
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
  const { refresh, token_endpoint, token_response } = party.method
  const server = { ...serverOf(party.method), token_endpoint: refresh?.endpoint ?? token_endpoint }
  try {
    const response = await oauth.refreshTokenGrantRequest(
      server,
      clientOf(party),
      clientAuthentication(party),
      refreshToken.reveal(),
      options(outbound, party, refresh?.response ?? token_response),
    )
    return toTokens(await oauth.processRefreshTokenResponse(server, clientOf(party), response), granted)
  } catch (error) {
    throw explain(error)
  }
}

/** RFC 7009, or the provider's own call. A token the server no longer knows counts as revoked (§2.2). */
export const revokeToken = async (outbound: Outbound, party: Party, token: Secret): Promise<void> => {
  if (party.method.revocation?.style === 'request') return revokeByRequest(outbound, party, token)
  try {
    const response = await oauth.revocationRequest(
      serverOf(party.method),
      clientOf(party),
      clientAuthentication(party),
      token.reveal(),
      {
        [oauth.customFetch]: (url: string, init?: RequestInit) => outbound.egress.fetch(url, init),
        [oauth.allowInsecureRequests]: true,
      },
    )
    await oauth.processRevocationResponse(response)
  } catch (error) {
    throw explain(error)
  }
}

/** Unauthorized and unknown are what a dead token gets. */
const ALREADY_DEAD = new Set([401, 404, 410, 422])

const revokeByRequest = async (
  { egress }: Outbound,
  { method, app, endedTokenErrors = [] }: Party,
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
    if (answer.status >= 400 && !ALREADY_DEAD.has(answer.status))
      throw new OAuthError({ kind: answer.status >= 500 ? 'provider_unavailable' : 'exchange_failed' })
    const refusal = refusalOf(answer.body.toString('utf8'), method.token_response)
    if (answer.status < 300 && refusal !== null && !endedTokenErrors.includes(refusal))
      throw new OAuthError({ kind: 'exchange_failed' }, new Error(`refused: ${refusal}`))
  } catch (error) {
    throw error instanceof OAuthError ? error : explain(error)
  }
}

/** No header carries more, and nobody's tokens are near it. */
const LONGEST_TOKEN = 16 * 1024
const MOST_SCOPES = 500
/** What is said to live longer may as well live as long. */
const LONGEST_LIFETIME_SECONDS = (3650 * DAY) / SECOND

const toTokens = (answer: oauth.TokenEndpointResponse, otherwise: string[]): Tokens => ({
  accessToken: readToken(answer.access_token),
  refreshToken: answer.refresh_token ? readToken(answer.refresh_token) : null,
  scopes: answer.scope === undefined ? otherwise : readScopes(answer.scope),
  expiresInSeconds:
    answer.expires_in === undefined ? null : Math.min(answer.expires_in, LONGEST_LIFETIME_SECONDS),
  learned: {},
})

/** RFC 6749 appendix A.12 and A.17: printable characters. Anything else would end in a header or a form of ours. */
const readToken = (token: string): Secret => {
  if (token.length > LONGEST_TOKEN || !/^[\x20-\x7e]+$/.test(token))
    throw new OAuthError({ kind: 'exchange_failed' }, new Error('a token is no token'))
  return new Secret(token)
}

const readScopes = (scope: string): string[] =>
  [...new Set(scope.split(/[ ,]+/))].filter(isScope).slice(0, MOST_SCOPES)

/** What addresses are made of must be known: without it the credential could not be used. */
export const requireLearned = (method: OAuthMethod, told: LearnedSources): Record<string, string> => {
  const { values, missing } = learnValues(method, told)
  if (missing.length > 0)
    throw new OAuthError(
      { kind: 'exchange_failed' },
      new Error(`nothing fitting was told of ${missing.join(', ')}`),
    )
  return values
}

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

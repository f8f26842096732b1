import { type Configuration, errors, interactionPolicy, type JWK, Provider } from 'oidc-provider'
import { accounts, isAccountId } from '../accounts.ts'
import { pageHeaders } from '../http/send.ts'
import { problemPage } from '../pages/problem.ts'
import type { OAuthStore } from './oauth-store.ts'
import type { SandboxClient } from './public-types.ts'
import { supportedScopes } from './scopes.ts'

export type ProviderOptions = {
  issuer: string
  client: SandboxClient
  accessTokenSeconds: number
  signingKey: JWK
  cookieKeys: string[]
  store: OAuthStore
}

const MINUTE_SECONDS = 60
const DAY_SECONDS = 24 * 60 * MINUTE_SECONDS
/** RFC 6749 §4.1.2 recommends at most ten minutes; a strict server allows one. */
const AUTHORIZATION_CODE_TTL = MINUTE_SECONDS
const REFRESH_TOKEN_TTL = 90 * DAY_SECONDS
/** Longer than any chain of rotated refresh tokens. */
const GRANT_TTL = 365 * DAY_SECONDS
const SESSION_TTL = 14 * DAY_SECONDS
const INTERACTION_TTL = 60 * MINUTE_SECONDS

export function createProvider(options: ProviderOptions): Provider {
  const provider = new Provider(options.issuer, configure(options))
  // Koa would print every rejected request to the console.
  provider.silent = true
  provider.on('server_error', (_ctx, error) => console.error('sandbox: the OAuth server failed:', error))
  return provider
}

/** Sets every function whose default makes the library print a warning. */
function configure({
  client,
  accessTokenSeconds,
  signingKey,
  cookieKeys,
  store,
}: ProviderOptions): Configuration {
  return {
    adapter: store.adapter,
    jwks: { keys: [signingKey] },
    clients: [
      {
        client_id: client.id,
        client_secret: client.secret,
        client_name: client.name ?? client.id,
        redirect_uris: client.redirectUris,
        token_endpoint_auth_method: client.authMethod ?? 'client_secret_basic',
      },
    ],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      id_token_signed_response_alg: 'ES256',
    },
    responseTypes: ['code'],
    scopes: [...supportedScopes],
    claims: { openid: ['sub'], profile: ['name'], email: ['email', 'email_verified'] },
    findAccount: (_ctx, sub) => findAccount(sub),
    pkce: { required: () => true },
    issueRefreshToken: (_ctx, caller) => caller.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    // Tokens belong to the grant, not to the browser session.
    expiresWithSession: () => false,
    // Revoking either token, or reusing a consumed one, revokes the grant and everything issued from it.
    revokeGrantPolicy: () => true,
    // Each authorization creates its own grant, so that revoking one does not affect the user's others.
    loadExistingGrant: ({ oidc }) => {
      const grantId = oidc.result?.consent?.grantId
      return grantId ? oidc.provider.Grant.find(grantId) : undefined
    },
    interactions: { url: (_ctx, { uid }) => `/oauth/interaction/${uid}`, policy: alwaysRequireConsent() },
    clientBasedCORS: () => false,
    // The library tolerates fifteen seconds of clock drift, which would accept expired tokens.
    clockTolerance: 0,
    cookies: {
      keys: cookieKeys,
      // Cookies ignore ports, so unique names avoid conflicts with other programs on localhost.
      names: { session: 'notes_session', interaction: 'notes_interaction', resume: 'notes_resume' },
      long: { signed: true, httpOnly: true, sameSite: 'lax', path: '/oauth' },
      short: { signed: true, httpOnly: true, sameSite: 'lax' },
    },
    ttl: {
      AccessToken: accessTokenSeconds,
      AuthorizationCode: AUTHORIZATION_CODE_TTL,
      Grant: GRANT_TTL,
      IdToken: 60 * MINUTE_SECONDS,
      Interaction: INTERACTION_TTL,
      RefreshToken: REFRESH_TOKEN_TTL,
      Session: SESSION_TTL,
    },
    routes: {
      authorization: '/oauth/authorize',
      token: '/oauth/token',
      revocation: '/oauth/revoke',
      userinfo: '/oauth/userinfo',
      registration: '/oauth/register',
      jwks: '/oauth/jwks',
      end_session: '/oauth/session/end',
    },
    features: {
      devInteractions: { enabled: false },
      rpInitiatedLogout: { enabled: false },
      dPoP: { enabled: false },
      pushedAuthorizationRequests: { enabled: false },
      resourceIndicators: { enabled: false },
      registration: { enabled: true },
      revocation: {
        enabled: true,
        allowedPolicy: (_ctx, caller, token) => mayRevoke(caller.clientId, token.clientId),
      },
    },
    renderError: (ctx, out) => {
      ctx.set(pageHeaders)
      ctx.type = 'html'
      ctx.body = String(problemPage({ code: out.error, description: out.error_description }))
    },
  }
}

function findAccount(sub: string) {
  if (!isAccountId(sub)) return undefined
  const { id, name, email } = accounts[sub]
  return { accountId: id, claims: () => ({ sub: id, name, email, email_verified: true }) }
}

function alwaysRequireConsent(): interactionPolicy.DefaultPolicy {
  const policy = interactionPolicy.base()
  policy
    .get('consent')
    ?.checks.add(
      new interactionPolicy.Check(
        'asked_every_time',
        'consent is required for each authorization',
        'consent_required',
        ({ oidc }) => !oidc.result?.consent,
      ),
    )
  return policy
}

/** RFC 7009 §2.1: a token can be revoked only by the client that it was issued to. */
function mayRevoke(caller: string, owner: string | undefined): boolean {
  if (caller !== owner) throw new errors.InvalidRequest('the token was issued to another client')
  return true
}

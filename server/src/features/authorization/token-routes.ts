import { describeError } from '@carabiner/contract'
import formbody from '@fastify/formbody'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { networkOf } from '../../core/addresses/network.ts'
import { type CheckRoutingCode } from '../../core/organization-state.ts'
import { Refusal } from '../../core/refusal.ts'
import { readOrganizationHandle, routingCode } from '../../core/token.ts'
import { allowAllOrigins } from '../../edge/cross-origin.ts'
import { toRefusal } from '../../edge/errors.ts'
import type { PageLimits } from '../pages/page-limits.ts'
import { readClientMetadata } from './clients/oauth-client.ts'
import { registerClient } from './clients/registered-client.ts'
import type { TokenRequest } from './grants/grant-store.ts'
import { type IssuedTokens, redeemCode, refreshGrant, revokeToken } from './grants/issue-tokens.ts'
import { GRANT_TYPES, JWT_BEARER, SCOPE } from './metadata-routes.ts'
import { acceptAssertion } from './requests/accept-assertion.ts'
import { readResource } from './requests/authorization-request.ts'
import type { SignInDeps } from './requests/begin-sign-in.ts'
import { IdentityError } from './settings/identity-error.ts'
import { settingsStore } from './settings/settings-store.ts'
import { SIGN_IN_PATH } from './settings/sign-in-addresses.ts'

type Deps = SignInDeps & { limits: PageLimits; checkRoutingCode: CheckRoutingCode }

const MAX_BODY_BYTES = 32 * 1024

/** RFC 6749 §5.2, RFC 7591 §3.2.2 and RFC 8707 §2. */
type OAuthErrorCode =
  | 'invalid_request'
  | 'invalid_grant'
  | 'invalid_target'
  | 'unsupported_grant_type'
  | 'unsupported_token_type'
  | 'invalid_redirect_uri'
  | 'invalid_client_metadata'
  | 'temporarily_unavailable'
  | 'server_error'

class OAuthRefusal extends Error {
  readonly code: OAuthErrorCode

  constructor(code: OAuthErrorCode, description: string) {
    super(description)
    this.name = 'OAuthRefusal'
    this.code = code
  }
}

/** The endpoints that clients call themselves, without a browser. */
export const tokenRoutes = (app: FastifyInstance, deps: Deps): void => {
  const { db, signer, limits, baseUrl } = deps
  void app.register(formbody, { bodyLimit: MAX_BODY_BYTES })
  app.setErrorHandler(sendOAuthError(deps))
  const at = (path: string) => `${SIGN_IN_PATH}/:organization${path}`
  allowAllOrigins(app, ['/token', '/revoke', '/register'].map(at))
  app.addHook('onRequest', async ({ ip, method, routeOptions }) => {
    const isRegistration = method === 'POST' && routeOptions.url === at('/register')
    const wait = await limits.take(ip, isRegistration ? 'register' : 'script')
    if (wait !== null) throw new Refusal('rate_limited', { retryAfterSeconds: wait })
  })
  const options = { bodyLimit: MAX_BODY_BYTES }

  app.post(at('/token'), options, async request => {
    const form = readForm(request)
    const tokenRequest = readTokenRequest(form, { baseUrl, organizationId: organizationOf(request) })
    const tokens = await issue(deps, form, tokenRequest, networkOf(request.ip))
    if (tokens) return showTokens(tokens)
    await deps.checkRoutingCode(routingCode(tokenRequest.organizationId))
    throw new OAuthRefusal('invalid_grant', 'The code or token is invalid, expired, revoked or already used.')
  })

  // RFC 7009 §2.2: 200 also for an unknown token.
  app.post(at('/revoke'), options, async (request, reply) => {
    const form = readForm(request)
    const [clientId, token] = [required(form, 'client_id'), required(form, 'token')]
    await revokeToken(db, { organizationId: organizationOf(request), clientId, token })
    return reply.code(200).send()
  })

  // RFC 7591 §3.
  app.post(at('/register'), options, async (request, reply) => {
    const organizationId = organizationOf(request)
    if (!(await settingsStore.isOn(db, organizationId))) {
      await deps.checkRoutingCode(routingCode(organizationId))
      throw new Refusal('not_found')
    }
    const metadata = readClientMetadata(request.body)
    if (!metadata)
      throw new OAuthRefusal(
        'invalid_redirect_uri',
        'redirect_uris lists 1 to 10 URLs without fragment and user: https, http on loopback, or a private-use scheme such as com.example.app (RFC 8252 section 7.1).',
      )
    const client = registerClient(signer, organizationId, metadata)
    if (!client)
      throw new OAuthRefusal('invalid_client_metadata', 'The name and the redirect URIs are too long.')
    return reply.code(201).send({
      client_id: client.id,
      client_id_issued_at: Math.floor(Date.now() / 1000),
      client_name: client.name,
      redirect_uris: client.redirectUris,
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    })
  })
}

const organizationOf = ({ params }: FastifyRequest): string => {
  const organizationId = readOrganizationHandle((params as { organization: string }).organization)
  if (organizationId === null) throw new Refusal('not_found')
  return organizationId
}

type Form = Map<string, string>

/** RFC 6749 §3.2: a repeated parameter is parsed as a list, and rejected. */
const readForm = ({ body }: FastifyRequest): Form => {
  const fields = Object.entries((body ?? {}) as Record<string, unknown>)
  const strange = fields.find(([, value]) => typeof value !== 'string' || value.includes('\0'))
  if (strange)
    throw new OAuthRefusal('invalid_request', `"${strange[0].slice(0, 50)}" is repeated or malformed.`)
  return new Map(fields as [string, string][])
}

const required = (form: Form, name: string): string => {
  const value = form.get(name)
  if (value === undefined || value === '') throw new OAuthRefusal('invalid_request', `"${name}" is missing.`)
  return value
}

const readTokenRequest = (form: Form, server: { baseUrl: string; organizationId: string }): TokenRequest => {
  const resource = form.get('resource')
  const pack = resource === undefined ? null : readResource(resource, server)
  if (resource !== undefined && !pack)
    throw new OAuthRefusal('invalid_target', '"resource" is not an MCP endpoint of this organization.')
  return { organizationId: server.organizationId, clientId: required(form, 'client_id'), resource: pack }
}

const issue = (
  deps: Deps,
  form: Form,
  request: TokenRequest,
  network: string,
): Promise<IssuedTokens | null> => {
  switch (required(form, 'grant_type')) {
    case 'authorization_code':
      return redeemCode(deps.db, {
        ...request,
        code: required(form, 'code'),
        codeVerifier: required(form, 'code_verifier'),
        redirectUri: required(form, 'redirect_uri'),
      })
    case 'refresh_token':
      return refreshGrant(deps.db, { ...request, refreshToken: required(form, 'refresh_token') })
    case JWT_BEARER:
      return acceptAssertion(deps, {
        organizationId: request.organizationId,
        clientId: request.clientId,
        assertion: required(form, 'assertion'),
        resource: required(form, 'resource'),
        network,
      })
    default:
      throw new OAuthRefusal('unsupported_grant_type', `Supported: ${GRANT_TYPES.join(', ')}.`)
  }
}

const showTokens = ({ accessToken, refreshToken, expiresInSeconds }: IssuedTokens) => ({
  access_token: accessToken.reveal(),
  token_type: 'Bearer',
  expires_in: expiresInSeconds,
  ...(refreshToken && { refresh_token: refreshToken.reveal() }),
  scope: SCOPE,
})

/** Clients expect the errors of RFC 6749 §5.2 instead of those of the API. */
const sendOAuthError =
  ({ log }: Deps) =>
  (error: unknown, request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    if (error instanceof OAuthRefusal)
      return reply.code(400).send({ error: error.code, error_description: error.message })
    if (error instanceof IdentityError) {
      log.info({ error, request_id: request.id }, 'the identity provider cannot be used')
      return reply.code(503).send({
        error: 'temporarily_unavailable',
        error_description: 'The identity provider cannot be used.',
      })
    }
    const refusal = toRefusal(error)
    const { status } = describeError(refusal.code)
    if (refusal.retryAfterSeconds !== undefined)
      reply.header('retry-after', String(refusal.retryAfterSeconds))
    if (status >= 500 && refusal.code === 'internal_error')
      log.error({ request_id: request.id, route: request.routeOptions.url, error }, 'unexpected error')
    const code =
      refusal.code === 'internal_error'
        ? 'server_error'
        : status >= 500 || status === 429
          ? 'temporarily_unavailable'
          : 'invalid_request'
    return reply.code(status).send({ error: code, error_description: refusal.message })
  }

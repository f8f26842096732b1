import { createHash, generateKeyPairSync, type KeyObject, randomBytes } from 'node:crypto'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose'
import { type ClientMetadata, type Configuration, Provider } from 'oidc-provider'
import { packHandle } from '../../src/core/pack-handle.ts'
import { organizationHandle } from '../../src/core/token.ts'
import type { ServiceOptions } from '../../src/service.ts'
import { type BrowserUser, createBrowserUser, type Page } from './browser-user.ts'
import type { Engine } from './databases.ts'
import { joinTestService, startTestService, type TestOrganization, type TestService } from './test-service.ts'

export const IDP_CLIENT = { id: 'carabiner', secret: 'a-secret-of-the-test' }

export type TestIdentityProvider = {
  issuer: string
  /** How many requests the provider has received. */
  requestsTo(path: string): number
  /** Signs an ID-JAG with the key of the provider. */
  signAssertion(claims: JWTPayload, header?: Partial<JWTHeaderParameters>): Promise<string>
  stop(): Promise<void>
}

type ProviderOptions = {
  /** Replaces claims of every person; `undefined` omits one. */
  claims?: Record<string, unknown>
  more?: Partial<Configuration>
  /** More metadata of the client at the provider. */
  client?: Partial<ClientMetadata>
  /** Replaces the UserInfo endpoint. */
  answerUserInfo?: (response: ServerResponse) => void
}

/** Keys of providers that have stopped, because generating one takes half a second. Providers that run have different keys. */
const unusedKeys: KeyObject[] = []

/** oidc-provider with its own sign-in pages. The name that a person signs in with is their `sub`. */
export const startIdentityProvider = async (
  redirectUris: string[],
  { claims = {}, more = {}, client = {}, answerUserInfo }: ProviderOptions = {},
): Promise<TestIdentityProvider> => {
  const server = createServer()
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve))
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const privateKey = unusedKeys.pop() ?? generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
  const provider = new Provider(issuer, {
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), alg: 'RS256', use: 'sig' }] },
    clients: [
      { client_id: IDP_CLIENT.id, client_secret: IDP_CLIENT.secret, redirect_uris: redirectUris, ...client },
    ],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name'] },
    conformIdTokenClaims: false,
    findAccount: (_context, accountId) => ({
      accountId,
      claims: async () => ({
        sub: accountId,
        name: accountId,
        email: `${accountId}@example.com`,
        email_verified: true,
        ...claims,
      }),
    }),
    cookies: { keys: ['a-key-of-the-test'] },
    features: { devInteractions: { enabled: true } },
    ...more,
  })
  const handle = provider.callback()
  const requests: string[] = []
  server.on('request', (request, response) => {
    requests.push(request.url ?? '')
    if (request.url === '/me' && answerUserInfo) answerUserInfo(response)
    else void handle(request, response)
  })
  return {
    issuer,
    requestsTo: path => requests.filter(url => url.startsWith(path)).length,
    signAssertion: (asserted, header = {}) =>
      new SignJWT({ iss: issuer, ...asserted })
        .setProtectedHeader({ alg: 'RS256', typ: 'oauth-id-jag+jwt', ...header })
        .sign(privateKey),
    stop: async () => {
      server.closeAllConnections()
      await new Promise(resolve => server.close(resolve))
      unusedKeys.push(privateKey)
    },
  }
}

export const issuerOf = (t: TestService, { id } = t.organization): string =>
  `${t.baseUrl}/sign-in/${organizationHandle(id)}`

export const resourceOf = (
  t: TestService,
  { id, toolPackId } = t.organization,
  mode: 'production' | 'test' = 'production',
) => `${t.baseUrl}/mcp/${packHandle(id, toolPackId, mode)}`

export const redirectUrisOf = (t: TestService, organization?: TestOrganization): string[] =>
  ['production', 'test'].map(mode => `${issuerOf(t, organization)}/callback/${mode}`)

/** Configures the provider for an organization. */
export const configureSignIn = async (
  t: TestService,
  provider: TestIdentityProvider,
  changes: Record<string, unknown> = {},
  key = t.organization.key,
): Promise<void> => {
  const answer = await t.call('PUT', '/api/v1/sign-in', {
    key,
    body: {
      identity_provider: {
        issuer: provider.issuer,
        client_id: IDP_CLIENT.id,
        client_secret: IDP_CLIENT.secret,
      },
      create_users: true,
      ...changes,
    },
  })
  if (answer.status !== 200) throw new Error(answer.text)
}

export type SignInService = { t: TestService; provider: TestIdentityProvider; stop: () => Promise<void> }

/** An organization of a shared service, whose users sign in at a provider of its own. */
export const joinSignInService = async (engine: Engine = 'postgres'): Promise<SignInService> =>
  withProvider(await joinTestService(engine))

/** The same with a service of its own. */
export const startSignInService = async (
  environment: Record<string, string> = {},
  options: ServiceOptions = {},
  engine: Engine = 'postgres',
): Promise<SignInService> => withProvider(await startTestService(engine, environment, options))

const withProvider = async (t: TestService): Promise<SignInService> => {
  const provider = await startIdentityProvider(redirectUrisOf(t))
  await configureSignIn(t, provider)
  return {
    t,
    provider,
    stop: async () => {
      await provider.stop()
      await t.stop()
    },
  }
}

/** The address of the client. The browser of the tests does not open addresses that begin with /application. */
export const REDIRECT_URI = 'http://127.0.0.1:4999/application/callback'

/** A client as plain HTTP requests, so that each parameter can be changed. */
export const createRawClient = async (
  t: TestService,
  organization = t.organization,
  { name = 'Raw client', redirectUri = REDIRECT_URI } = {},
) => {
  const issuer = issuerOf(t, organization)
  const registered = await t.call('POST', `${issuer}/register`, {
    key: null,
    body: { client_name: name, redirect_uris: [redirectUri] },
  })
  if (registered.status !== 201) throw new Error(registered.text)
  const clientId: string = registered.body.client_id
  const verifier = randomBytes(32).toString('base64url')
  const parameters = {
    response_type: 'code',
    client_id: clientId,
    redirect_uri: redirectUri,
    state: 'state-of-the-client',
    code_challenge: createHash('sha256').update(verifier).digest('base64url'),
    code_challenge_method: 'S256',
    resource: resourceOf(t, organization),
  }
  type Changes = Record<string, string | null>
  const merge = (base: Record<string, string>, changes: Changes): URLSearchParams =>
    new URLSearchParams(
      Object.entries({ ...base, ...changes }).filter((pair): pair is [string, string] => pair[1] !== null),
    )
  const post = (path: string, form: URLSearchParams) =>
    t.call('POST', `${issuer}${path}`, {
      key: null,
      raw: form.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    })
  return {
    clientId,
    verifier,
    authorizeUrl: (changes: Changes = {}) => `${issuer}/authorize?${merge(parameters, changes).toString()}`,
    exchange: (code: string, changes: Changes = {}) =>
      post(
        '/token',
        merge(
          {
            grant_type: 'authorization_code',
            code,
            client_id: clientId,
            redirect_uri: redirectUri,
            code_verifier: verifier,
            resource: resourceOf(t, organization),
          },
          changes,
        ),
      ),
    refresh: (token: string, changes: Changes = {}) =>
      post(
        '/token',
        merge({ grant_type: 'refresh_token', refresh_token: token, client_id: clientId }, changes),
      ),
    assert: (assertion: string, changes: Changes = {}) =>
      post(
        '/token',
        merge(
          {
            grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer',
            assertion,
            client_id: clientId,
            resource: resourceOf(t, organization),
          },
          changes,
        ),
      ),
    revoke: (token: string, changes: Changes = {}) =>
      post('/revoke', merge({ token, client_id: clientId }, changes)),
  }
}
export type RawClient = Awaited<ReturnType<typeof createRawClient>>

/** Signs in at the provider and returns the consent page, or the page that was shown instead. */
export const signInAtProvider = async (browser: BrowserUser, url: string, login = 'ana'): Promise<Page> => {
  let page = await browser.open(url)
  for (let step = 0; step < 3 && /\/interaction\//.test(page.url); step++)
    page = await browser.submit(
      page,
      /\/interaction\//,
      /name="login"/.test(page.html) ? { login, password: 'any' } : {},
    )
  return page
}

/** Signs in, agrees and returns the parameters that the client gets. */
export const signInAndAllow = async (
  url: string,
  login = 'ana',
  browser = createBrowserUser(),
): Promise<URLSearchParams> => {
  const consent = await signInAtProvider(browser, url, login)
  await browser.submit(consent, /\/allow/)
  return new URL(browser.lastLocation ?? 'http://no-redirect.invalid').searchParams
}

export const signInForTokens = async (client: RawClient, login = 'ana') => {
  const answer = await client.exchange((await signInAndAllow(client.authorizeUrl(), login)).get('code') ?? '')
  if (answer.status !== 200) throw new Error(answer.text)
  return answer.body as { access_token: string; refresh_token: string; expires_in: number }
}

/** What the client gets if the person leaves an error page by its button. The browser has stayed on the page until then. */
export const errorAtPage = (browser: BrowserUser, { html }: Page): URLSearchParams => {
  if (browser.lastLocation !== null) throw new Error(`redirected to ${browser.lastLocation}`)
  const [, href = ''] = /<a class="button primary" href="([^"]+)"/.exec(html) ?? []
  return new URL(href.replaceAll('&amp;', '&') || 'http://no-link.invalid').searchParams
}

export const callWithToken = (t: TestService, token: string | null, url = resourceOf(t)) =>
  t.call('POST', url, {
    key: token,
    headers: { accept: 'application/json, text/event-stream' },
    body: { jsonrpc: '2.0', id: 1, method: 'tools/list', params: {} },
  })

// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { after, afterEach, before, describe, test } from 'node:test'
import { createBrowserUser } from '../support/browser-user.ts'
import {
  configureSignIn,
  createRawClient,
  IDP_CLIENT,
  issuerOf,
  type RawClient,
  redirectUrisOf,
  signInAtProvider,
  signInForTokens,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../support/sign-in.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

/** As most providers: claims of the scopes `email` and `profile` are in UserInfo, and not in the ID token. */
const BY_USER_INFO = { conformIdTokenClaims: true }

describe('sign-in with ordinary identity providers', () => {
  let t: TestService
  let client: RawClient
  let provider: TestIdentityProvider | undefined
  before(async () => {
    t = await joinTestService()
  })
  after(() => t.stop())
  afterEach(async () => {
    await provider?.stop()
    provider = undefined
  })

  type ProviderOptions = Parameters<typeof startIdentityProvider>[1]

  /** Starts a provider and configures the organization for it. */
  const useProvider = async (
    options: ProviderOptions,
    settings: Record<string, unknown>,
    more: Record<string, unknown> = {},
  ): Promise<void> => {
    provider = await startIdentityProvider(redirectUrisOf(t), options)
    const { id: client_id, secret: client_secret } = IDP_CLIENT
    const identity_provider = { issuer: provider.issuer, client_id, client_secret, ...settings }
    await configureSignIn(t, provider, { identity_provider, ...more })
    client = await createRawClient(t)
  }
  const findUser = async (originUserId: string) => {
    const query = `origin_user_id=${encodeURIComponent(originUserId)}`
    return (await t.call('GET', `/api/v1/registered-users?${query}`)).body.data[0]
  }

  test('claims in UserInfo only: the user has ID, name and email of the response', async () => {
    await useProvider({ more: BY_USER_INFO }, { user_claim: 'email' })
    await signInForTokens(client, 'una')
    const user = await findUser('una@example.com')
    assert.deepEqual([user.origin_user_name, user.email], ['una', 'una@example.com'])
    assert.equal(provider?.requestsTo('/me'), 1)
  })

  test('claims in the ID token: UserInfo is not requested', async () => {
    await useProvider({}, { user_claim: 'email' })
    await signInForTokens(client, 'ugo')
    assert.equal(provider?.requestsTo('/me'), 0)
  })

  test('UserInfo as a signed JWT: its claims are used', async () => {
    await useProvider(
      {
        more: {
          ...BY_USER_INFO,
          features: { jwtUserinfo: { enabled: true }, devInteractions: { enabled: true } },
        },
        client: { userinfo_signed_response_alg: 'RS256' },
      },
      { user_claim: 'email' },
    )
    await signInForTokens(client, 'ulla')
    assert.ok(await findUser('ulla@example.com'))
  })

  for (const [title, answerUserInfo] of [
    ['another sub', JSON.stringify({ sub: 'other', email: 'other@example.com', email_verified: true })],
    ['no sub', JSON.stringify({ email: 'other@example.com', email_verified: true })],
    ['no JSON', 'not json'],
  ] as const)
    test(`UserInfo with ${title}: rejected if a claim is needed, otherwise ignored`, async () => {
      const respond: ProviderOptions = {
        more: BY_USER_INFO,
        answerUserInfo: response =>
          response.setHeader('content-type', 'application/json').end(answerUserInfo),
      }
      await useProvider(respond, { user_claim: 'email' })
      const page = await signInAtProvider(createBrowserUser(), client.authorizeUrl(), 'uri')
      assert.match(page.html, /sign-in service could not be used/)
      assert.equal(await findUser('other@example.com'), undefined)
      await provider?.stop()
      await useProvider(respond, { user_claim: 'sub' })
      const login = `uri-${title.replaceAll(' ', '-')}`
      await signInForTokens(client, login)
      assert.equal((await findUser(login)).email, undefined)
    })

  for (const [claim, value, originUserId] of [
    ['oid', '6f9619ff-8b86-d011-b42d-00c04fc964ff', '6f9619ff-8b86-d011-b42d-00c04fc964ff'],
    ['preferred_username', 'ana.ruiz', 'ana.ruiz'],
    ['https://orbit.example/employee', 4711, '4711'],
  ] as const)
    for (const conformIdTokenClaims of [true, false])
      test(`user_claim ${claim} ${conformIdTokenClaims ? 'of UserInfo' : 'of the ID token'}: identifies the user`, async () => {
        const claims = { openid: ['sub'], email: ['email'], profile: ['name', claim] }
        const options = { claims: { [claim]: value }, more: { claims, conformIdTokenClaims } }
        await useProvider(options, { user_claim: claim })
        await signInForTokens(client, 'vera')
        assert.equal((await findUser(originUserId)).origin_user_name, 'vera')
      })

  test('user_claim: a claim of the protocol, a malformed and an empty name are rejected', async () => {
    await useProvider({}, {})
    for (const user_claim of ['aud', 'nonce', 'email_verified', 'a b', '', 'é', 'x'.repeat(201)]) {
      const identity_provider = { issuer: provider?.issuer, client_id: IDP_CLIENT.id, user_claim }
      const answer = await t.call('PUT', '/api/v1/sign-in', { body: { identity_provider } })
      assert.equal(answer.status, 400, user_claim)
      assert.equal(answer.body.error.param, 'identity_provider.user_claim')
    }
  })

  test('email without email_verified: counts only if the organization trusts the issuer', async () => {
    const options = { claims: { email_verified: undefined }, more: BY_USER_INFO }
    await useProvider(options, { user_claim: 'email' })
    assert.equal((await signInAtProvider(createBrowserUser(), client.authorizeUrl(), 'tea')).status, 403)
    assert.equal(await findUser('tea@example.com'), undefined)
    await provider?.stop()
    await useProvider(options, { user_claim: 'email', trust_email: true })
    await signInForTokens(client, 'tea')
    assert.equal((await findUser('tea@example.com')).email, 'tea@example.com')
    const { body } = await t.call('GET', '/api/v1/audit-entries?action=sign_in.updated&limit=1')
    assert.deepEqual(
      body.data[0].changes.filter(({ field }: { field: string }) => field.endsWith('trust_email')),
      [{ field: 'identity_provider.trust_email', from: false, to: true }],
    )
  })

  const deactivate = async (login: string): Promise<void> => {
    const { id } = await t.createUser({ origin_user_id: login })
    await t.call('PATCH', `/api/v1/registered-users/${id}`, { body: { is_active: false } })
  }
  const rejections: {
    cause: string
    page: RegExp
    options?: ProviderOptions
    settings?: Record<string, unknown>
    more?: Record<string, unknown>
    prepare?: () => Promise<unknown>
    expected?: Record<string, unknown>
  }[] = [
    { cause: 'claim_missing', page: /match you to an account/, settings: { user_claim: 'oid' } },
    {
      cause: 'email_not_verified',
      page: /email address isn’t verified/,
      options: { claims: { email_verified: false } },
      settings: { user_claim: 'email' },
    },
    { cause: 'user_not_found', page: /no active account for you/, more: { create_users: false } },
    { cause: 'user_inactive', page: /no active account for you/, prepare: () => deactivate('rita') },
    {
      cause: 'provider_failed',
      page: /sign-in service isn’t working/,
      settings: { client_secret: 'another-secret' },
      expected: { error: 'server_error', providerError: 'invalid_client' },
    },
  ]
  for (const { cause, page: text, options = {}, settings = {}, more, prepare, expected = {} } of rejections)
    test(`${cause}: page with a way back, event, log line, and an error for the client`, async () => {
      await useProvider(options, settings, more)
      await prepare?.()
      const lines = t.logLines.length
      const browser = createBrowserUser()
      const page = await signInAtProvider(browser, client.authorizeUrl(), 'rita')
      assert.equal(page.status, 403)
      assert.match(page.html, text)
      assert.match(page.html, /Raw client/)
      assert.equal(browser.lastLocation, null, 'the person reads the page first')
      assert.equal((await browser.open(page.url)).status, 403, 'the page can be loaded again')

      const { body } = await t.call('GET', '/api/v1/events?type=client_authorization.rejected')
      assert.deepEqual(body.data[0].data, {
        cause,
        client_id: client.clientId,
        client_name: 'Raw client',
        tool_pack_id: t.organization.toolPackId,
        issuer: provider?.issuer,
        user_claim: settings.user_claim ?? 'sub',
        provider_error: expected.providerError ?? null,
      })
      assert.deepEqual([body.data[0].mode, body.data[0].registered_user_id], ['production', null])
      const line = t.logLines
        .slice(lines)
        .find(each => each.includes('sign-in with an MCP client was rejected'))
      const logged = JSON.parse(line ?? '{}')
      assert.deepEqual([logged.level, logged.reason], ['warn', cause])
      assert.ok(!line?.includes('rita'), 'nothing about the person')

      await browser.submit(page, /\/deny/)
      const response = new URL(browser.lastLocation ?? '').searchParams
      assert.equal(response.get('error'), expected.error ?? 'access_denied')
      assert.match(response.get('error_description') ?? '', /^[ !#-[\]-~]{20,}$/)
      assert.deepEqual([response.get('state'), response.get('iss')], ['state-of-the-client', issuerOf(t)])
      assert.equal((await browser.submit(page, /\/deny/)).status, 410, 'it works once')
    })

  test('a rejected request cannot be allowed, and its sign-in cannot be repeated', async () => {
    await useProvider({}, {}, { create_users: false })
    const browser = createBrowserUser()
    const page = await signInAtProvider(browser, client.authorizeUrl(), 'sid')
    const allow = { ...page, html: page.html.replaceAll('/deny', '/allow') }
    await browser.submit(allow, /\/allow/)
    assert.equal(new URL(browser.lastLocation ?? '').searchParams.get('code'), null)
    assert.equal(new URL(browser.lastLocation ?? '').searchParams.get('error'), 'access_denied')
  })

  const rejectionCount = async (): Promise<number> =>
    (await t.events()).filter(({ type }) => type === 'client_authorization.rejected').length

  test('a provider that denies the sign-in: provider_denied, and access_denied for the client', async () => {
    await useProvider({}, {})
    const browser = createBrowserUser()
    const signIn = await browser.open(client.authorizeUrl())
    const denied = await browser.follow(signIn, /\/abort/)
    assert.match(denied.html, /You weren’t signed in/)
    await browser.submit(denied, /\/deny/)
    assert.equal(new URL(browser.lastLocation ?? '').searchParams.get('error'), 'access_denied')
    const { body } = await t.call('GET', '/api/v1/events?type=client_authorization.rejected')
    assert.equal(body.data[0].data.cause, 'provider_denied')
  })

  test('an unreachable provider: the page says so before the sign-in begins', async () => {
    await useProvider({}, {})
    await t.query(`update sign_in_settings set issuer = 'http://127.0.0.1:9' where organization_id = $1`, [
      t.organization.id,
    ])
    const count = await rejectionCount()
    const browser = createBrowserUser()
    const page = await browser.open(client.authorizeUrl())
    assert.equal(page.status, 403)
    assert.match(page.html, /sign-in service isn’t working/)
    assert.equal(await rejectionCount(), count + 1)
    await browser.submit(page, /\/deny/)
    assert.equal(new URL(browser.lastLocation ?? '').searchParams.get('error'), 'server_error')
  })

  test('discovery of the provider: once for many sign-ins', async () => {
    await useProvider({}, {})
    const read = provider?.requestsTo('/.well-known/') ?? 0
    await Promise.all(Array.from({ length: 10 }, () => createBrowserUser().open(client.authorizeUrl())))
    assert.equal(provider?.requestsTo('/.well-known/'), read + 1)
  })
})

// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { createBrowserUser } from '../support/browser-user.ts'
import {
  callWithToken,
  configureSignIn,
  createRawClient,
  errorAtPage,
  IDP_CLIENT,
  issuerOf,
  joinSignInService,
  redirectUrisOf,
  resourceOf,
  type SignInService,
  signInAndAllow,
  signInAtProvider,
  signInForTokens,
  startSignInService,
  type TestIdentityProvider,
} from '../support/sign-in.ts'
import type { TestService } from '../support/test-service.ts'

describe('sign-in at the MCP endpoint', () => {
  let t: TestService
  let provider: TestIdentityProvider
  let stop: SignInService['stop']
  before(async () => {
    ;({ t, provider, stop } = await joinSignInService())
  })
  after(() => stop?.())

  test('request without a token: 401 names the metadata, which leads to the authorization server', async () => {
    const answer = await callWithToken(t, null)
    assert.equal(answer.status, 401)
    assert.equal(answer.body.error.code, 'invalid_access_token')
    const [, url = ''] =
      /^Bearer resource_metadata="([^"]+)"$/.exec(answer.headers.get('www-authenticate') ?? '') ?? []
    const resource = await t.call('GET', url, { key: null })
    assert.equal(resource.body.resource, resourceOf(t))
    assert.deepEqual(resource.body.authorization_servers, [issuerOf(t)])
    const { origin, pathname } = new URL(issuerOf(t))
    for (const address of [
      `${origin}/.well-known/oauth-authorization-server${pathname}`,
      `${issuerOf(t)}/.well-known/oauth-authorization-server`,
    ]) {
      const { body } = await t.call('GET', address, { key: null })
      assert.equal(body.issuer, issuerOf(t))
      assert.deepEqual(body.code_challenge_methods_supported, ['S256'])
      assert.equal(body.authorization_response_iss_parameter_supported, true)
    }
  })

  test('a person who opens the address in a browser: a page says what it is for', async () => {
    const opened = await t.call('GET', resourceOf(t), { key: null, headers: { accept: 'text/html,*/*' } })
    assert.deepEqual([opened.status, opened.headers.get('content-type')], [401, 'text/html; charset=utf-8'])
    assert.ok(opened.text.includes(resourceOf(t)))
    const stream = await t.call('GET', resourceOf(t), { key: null, headers: { accept: 'text/event-stream' } })
    assert.deepEqual([stream.status, stream.body.error.code], [401, 'invalid_access_token'])
  })

  test('the Tool Pack shows its handle, for the mode of the key', async () => {
    const { organization } = t
    for (const [key, mode] of [
      [organization.key, 'production'],
      [organization.testKey, 'test'],
    ] as const) {
      const { body } = await t.call('GET', `/api/v1/tool-packs/${organization.toolPackId}`, { key })
      assert.equal(`${t.baseUrl}/mcp/${body.handle}`, resourceOf(t, organization, mode))
    }
  })

  test('a person signs in: consent names client, host, pack and person; the token lists the tools', async () => {
    const client = await createRawClient(t)
    const browser = createBrowserUser()
    const consent = await signInAtProvider(browser, client.authorizeUrl(), 'ana')
    assert.equal(consent.status, 200)
    for (const shown of ['Raw client', 'An app on this device', 'Default', 'ana', 'Orbit'])
      assert.ok(consent.html.includes(shown), shown)
    assert.match(consent.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
    await browser.submit(consent, /\/allow/)
    const response = new URL(browser.lastLocation ?? '').searchParams
    assert.equal(response.get('state'), 'state-of-the-client')
    assert.equal(response.get('iss'), issuerOf(t))
    const tokens = await client.exchange(response.get('code') ?? '')
    assert.equal(tokens.status, 200, tokens.text)
    assert.match(tokens.body.access_token, /^cb_at_/)
    assert.match(tokens.body.refresh_token, /^cb_rt_/)
    assert.equal(tokens.body.token_type, 'Bearer')
    const list = await callWithToken(t, tokens.body.access_token)
    assert.equal(list.status, 200, list.text)
    assert.ok(list.body.result.tools.length > 0)
    const users = await t.call('GET', '/api/v1/registered-users?origin_user_id=ana')
    assert.equal(users.body.data[0].email, 'ana@example.com')
    const types = (await t.events(users.body.data[0].id)).map(({ type }) => type)
    assert.deepEqual(types, ['registered_user.created', 'grant.created'])
  })

  test('a second sign-in uses the same Registered User', async () => {
    const client = await createRawClient(t)
    await signInForTokens(client, 'twice')
    await signInForTokens(client, 'twice')
    const users = await t.call('GET', '/api/v1/registered-users?origin_user_id=twice')
    assert.equal(users.body.data.length, 1)
  })

  test('a person who refuses: the client gets access_denied and the request has ended', async () => {
    const client = await createRawClient(t)
    const browser = createBrowserUser()
    const consent = await signInAtProvider(browser, client.authorizeUrl())
    await browser.submit(consent, /\/deny/)
    const response = new URL(browser.lastLocation ?? '').searchParams
    assert.equal(response.get('error'), 'access_denied')
    assert.equal(response.get('error_description'), 'The user has not allowed the access.')
    assert.equal(response.get('iss'), issuerOf(t))
    assert.equal((await browser.submit(consent, /\/allow/)).status, 410)
  })

  test('refresh: returns new tokens, and both access tokens work', async () => {
    const client = await createRawClient(t)
    const first = await signInForTokens(client)
    const second = await client.refresh(first.refresh_token)
    assert.equal(second.status, 200, second.text)
    for (const token of [first.access_token, second.body.access_token])
      assert.equal((await callWithToken(t, token)).status, 200)
  })

  test('grants: listed per user; revoking one ends its tokens at once', async () => {
    const client = await createRawClient(t)
    const tokens = await signInForTokens(client, 'bea')
    const { body } = await t.call('GET', '/api/v1/registered-users?origin_user_id=bea')
    const userId = body.data[0].id
    const grants = await t.call('GET', `/api/v1/registered-users/${userId}/grants`)
    assert.equal(grants.body.data.length, 1)
    assert.equal(grants.body.data[0].client_name, 'Raw client')
    const path = `/api/v1/registered-users/${userId}/grants/${grants.body.data[0].id}`
    assert.equal((await t.call('DELETE', path)).status, 204)
    assert.equal((await t.call('DELETE', path)).body.error.code, 'grant_not_found')
    assert.equal((await callWithToken(t, tokens.access_token)).status, 401)
    assert.equal((await client.refresh(tokens.refresh_token)).body.error, 'invalid_grant')
    const [event] = (await t.events(userId)).slice(-1)
    assert.equal(event?.type, 'grant.revoked')
    assert.equal(event?.payload.reason, 'revoked')
  })

  test('My connections: lists the client, and signing it out ends its tokens', async () => {
    const client = await createRawClient(t)
    const tokens = await signInForTokens(client, 'flora')
    const { body } = await t.call('GET', '/api/v1/registered-users?origin_user_id=flora')
    const userId = body.data[0].id
    const link = await t.call('POST', `/api/v1/registered-users/${userId}/connections-link`)
    const browser = createBrowserUser()
    const page = await browser.submit(await browser.open(link.body.url), /\/open/)
    assert.match(page.html, /Raw client/)
    const rest = await browser.submit(page, /\/sign-out/)
    assert.doesNotMatch(rest.html, /Raw client/)
    assert.equal((await callWithToken(t, tokens.access_token)).status, 401)
    assert.equal((await t.events(userId)).at(-1)?.payload.reason, 'by_user')
  })

  test('revocation by the client: either token ends the grant; a token of another client does not', async () => {
    const [client, other] = [await createRawClient(t), await createRawClient(t)]
    const tokens = await signInForTokens(client)
    assert.equal(
      (await other.revoke(tokens.access_token, { client_id: 'https://other.example/client' })).status,
      200,
    )
    assert.equal((await callWithToken(t, tokens.access_token)).status, 200)
    assert.equal((await client.revoke(tokens.refresh_token)).status, 200)
    assert.equal((await callWithToken(t, tokens.access_token)).status, 401)
    assert.equal((await client.revoke('cb_at_unknown')).status, 200)
  })

  test('access token: expires after an hour, the refresh token after 30 days', async () => {
    const { t: own, stop: stopOwn } = await startSignInService()
    try {
      const client = await createRawClient(own)
      const tokens = await signInForTokens(client)
      assert.equal(tokens.expires_in, 3600)
      await own.moveClock(3_599_000)
      assert.equal((await callWithToken(own, tokens.access_token)).status, 200)
      await own.moveClock(3_600_000 + 1000)
      const answer = await callWithToken(own, tokens.access_token)
      assert.equal(answer.status, 401)
      assert.match(
        answer.headers.get('www-authenticate') ?? '',
        /^Bearer error="invalid_token", resource_metadata=/,
      )
      const next = await client.refresh(tokens.refresh_token)
      assert.equal(next.status, 200)
      await own.moveClock(3_602_000 + 30 * 86_400_000)
      assert.equal((await client.refresh(next.body.refresh_token)).body.error, 'invalid_grant')
    } finally {
      await stopOwn()
    }
  })

  test('a deactivated user: calls and refresh are rejected at once', async () => {
    const client = await createRawClient(t)
    const tokens = await signInForTokens(client, 'cleo')
    const { body } = await t.call('GET', '/api/v1/registered-users?origin_user_id=cleo')
    await t.call('PATCH', `/api/v1/registered-users/${body.data[0].id}`, { body: { is_active: false } })
    const list = await callWithToken(t, tokens.access_token)
    assert.notEqual(list.body.result?.tools?.length > 0, true, list.text)
    assert.equal((await client.refresh(tokens.refresh_token)).body.error, 'invalid_grant')
    const page = await signInAtProvider(createBrowserUser(), client.authorizeUrl(), 'cleo')
    assert.equal(page.status, 403)
    assert.match(page.title, /access/)
  })

  test('test mode: its own settings, handle and users', async () => {
    const resource = resourceOf(t, t.organization, 'test')
    const { body: settings } = await t.call('GET', '/api/v1/sign-in', { key: t.organization.testKey })
    assert.deepEqual(
      [settings.identity_provider, settings.sign_in_url, settings.updated_at],
      [null, null, null],
    )
    assert.equal(settings.redirect_uri, redirectUrisOf(t)[1])
    const client = await createRawClient(t)
    const browser = createBrowserUser()
    const page = await browser.open(client.authorizeUrl({ resource }))
    assert.equal(errorAtPage(browser, page).get('error'), 'invalid_target')
    await configureSignIn(t, provider, {}, t.organization.testKey)
    const code = (await signInAndAllow(client.authorizeUrl({ resource }), 'dora')).get('code') ?? ''
    const tokens = await client.exchange(code, { resource })
    assert.equal(tokens.status, 200, tokens.text)
    assert.equal((await callWithToken(t, tokens.body.access_token, resource)).status, 200)
    assert.equal((await callWithToken(t, tokens.body.access_token)).status, 401)
    const users = await t.call('GET', '/api/v1/registered-users?origin_user_id=dora', {
      key: t.organization.testKey,
    })
    assert.equal(users.body.data.length, 1)
  })

  test('client secret: kept for the same client, dropped for another issuer or client and with null', async () => {
    const { id: client_id, secret: client_secret } = IDP_CLIENT
    const save = async (changes: Record<string, unknown>) => {
      const identity_provider = { issuer: provider.issuer, client_id, ...changes }
      const answer = await t.call('PUT', '/api/v1/sign-in', {
        body: { identity_provider, create_users: true },
      })
      assert.equal(answer.status, 200, answer.text)
      return answer.body.identity_provider.has_client_secret
    }
    assert.equal(await save({ client_secret }), true)
    assert.equal(await save({ user_claim: 'sub' }), true)
    const client = await createRawClient(t)
    assert.ok((await signInForTokens(client, 'edda')).access_token)
    assert.equal(await save({ client_id: 'another' }), false)
    assert.equal(await save({ client_secret }), true)
    assert.equal(await save({ client_secret: null }), false)
    assert.equal(await save({}), false)
    await save({ client_secret })
  })
})

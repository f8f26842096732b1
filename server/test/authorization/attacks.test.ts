// oxlint-disable typescript/no-floating-promises -- node:test tracks the promises of `describe` and `test`
import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { after, before, describe, test } from 'node:test'
import { packHandle } from '../../src/core/pack-handle.ts'
import { createBrowserUser, readForms } from '../support/browser-user.ts'
import {
  callWithToken,
  configureSignIn,
  createRawClient,
  errorAtPage,
  issuerOf,
  type RawClient,
  REDIRECT_URI,
  redirectUrisOf,
  resourceOf,
  signInAndAllow,
  signInAtProvider,
  signInForTokens,
  startIdentityProvider,
  type TestIdentityProvider,
} from '../support/sign-in.ts'
import { joinTestService, type TestOrganization, type TestService } from '../support/test-service.ts'

const RACERS = 20

describe('attacks on the authorization server', () => {
  let t: TestService
  let other: TestOrganization
  let provider: TestIdentityProvider
  let client: RawClient
  before(async () => {
    t = await joinTestService()
    other = await t.createOrganization('Other')
    provider = await startIdentityProvider([...redirectUrisOf(t), ...redirectUrisOf(t, other)])
    await configureSignIn(t, provider)
    await configureSignIn(t, provider, {}, other.key)
    client = await createRawClient(t)
  })
  after(async () => {
    await provider.stop()
    await t.stop()
  })

  const endingOf = async (login: string): Promise<string | undefined> => {
    const { body } = await t.call('GET', `/api/v1/registered-users?origin_user_id=${login}`)
    return (await t.events(body.data[0].id)).findLast(({ type }) => type === 'grant.revoked')?.payload.reason
  }

  test('code replay: the second exchange fails and ends the grant', async () => {
    const code = (await signInAndAllow(client.authorizeUrl(), 'replay')).get('code') ?? ''
    const first = await client.exchange(code)
    assert.equal(first.status, 200)
    assert.equal((await client.exchange(code)).body.error, 'invalid_grant')
    assert.equal((await callWithToken(t, first.body.access_token)).status, 401)
    assert.equal((await client.refresh(first.body.refresh_token)).body.error, 'invalid_grant')
    assert.equal(await endingOf('replay'), 'code_replayed')
  })

  test('concurrent exchanges of one code: at most one succeeds', async () => {
    const code = (await signInAndAllow(client.authorizeUrl())).get('code') ?? ''
    const answers = await Promise.all(Array.from({ length: RACERS }, () => client.exchange(code)))
    assert.equal(answers.filter(({ status }) => status === 200).length, 1)
  })

  test('code injection: another verifier, client or redirect URI gets no tokens', async () => {
    const code = (await signInAndAllow(client.authorizeUrl())).get('code') ?? ''
    const foreign = await t.call('POST', `${issuerOf(t)}/register`, {
      key: null,
      body: { client_name: 'Thief', redirect_uris: [REDIRECT_URI] },
    })
    for (const changes of [
      { code_verifier: randomBytes(32).toString('base64url') },
      { client_id: foreign.body.client_id },
      { redirect_uri: 'http://127.0.0.1:4999/application/other' },
      { resource: resourceOf(t, t.organization, 'test') },
    ])
      assert.equal(
        (await client.exchange(code, changes)).body.error,
        'invalid_grant',
        JSON.stringify(changes),
      )
    assert.equal((await client.exchange(code, { code_verifier: null })).body.error, 'invalid_request')
    assert.equal((await client.exchange(code)).status, 200)
  })

  test('PKCE cannot be omitted or downgraded', async () => {
    for (const changes of [
      { code_challenge: null },
      { code_challenge_method: null },
      { code_challenge_method: 'plain' },
      { code_challenge: 'too-short' },
    ]) {
      const browser = createBrowserUser()
      const page = await browser.open(client.authorizeUrl(changes))
      assert.equal(page.status, 400)
      assert.equal(errorAtPage(browser, page).get('error'), 'invalid_request')
    }
  })

  test('redirect tricks: the browser stays here, and no request is stored', async () => {
    const requests = async () => (await t.query('select count(*)::int as n from sign_in_requests'))[0].n
    const stored = await requests()
    for (const redirectUri of [
      'https://evil.example/callback',
      'http://127.0.0.1:4999@evil.example/application/callback',
      'http://127.0.0.1:4999/application/callback/../../evil',
      'http://127.0.0.1:4999/application/callback/',
      'http://127.0.0.1:4999/application/callbacks',
      'http://127.0.0.1:4999/application/callback?next=1',
      'http://127.0.0.1:4999/application/callback#fragment',
      'http://127.0.0.1:4999/application%2Fcallback',
      'http://127.0.0.1:4999\\@evil.example/application/callback',
      'http://127.0.0.1.evil.example/application/callback',
      'http://localhost:4999/application/callback',
      'https://127.0.0.1:4999/application/callback',
      'HTTP://127.0.0.1:4999/application/callback',
      'javascript:alert(1)//127.0.0.1:4999/application/callback',
      'data:text/html,x',
      '//evil.example/application/callback',
      '',
    ]) {
      const browser = createBrowserUser()
      const page = await browser.open(client.authorizeUrl({ redirect_uri: redirectUri }))
      assert.equal(page.status, 400, redirectUri)
      assert.equal(browser.lastLocation, null)
      assert.ok(!page.html.includes('evil.example'))
    }
    const repeated = `${client.authorizeUrl()}&redirect_uri=${encodeURIComponent('https://evil.example/')}`
    assert.equal((await createBrowserUser().open(repeated)).status, 400)
    assert.equal(await requests(), stored)
  })

  test('errors: the browser stays here, and the page names the host that its button leads to', async () => {
    const registered = await t.call('POST', `${issuerOf(t)}/register`, {
      key: null,
      body: { client_name: 'Phish', redirect_uris: ['https://evil.example/phish'] },
    })
    const changes = { client_id: registered.body.client_id, redirect_uri: 'https://evil.example/phish' }
    for (const fault of [
      { response_type: 'token' },
      { code_challenge: null },
      { resource: 'https://evil.example/' },
      { prompt: 'none' },
    ]) {
      const browser = createBrowserUser()
      const page = await browser.open(client.authorizeUrl({ ...changes, ...fault }))
      assert.equal(page.status, 400)
      assert.match(page.html, />evil\.example</)
      const error = errorAtPage(browser, page)
      assert.equal(error.get('state'), 'state-of-the-client')
      // RFC 6749 §4.1.2.1: neither quotes nor backslashes.
      assert.match(error.get('error_description') ?? '', /^[ !#-[\]-~]{10,}$/)
    }
  })

  test('organization without sign-in, and an unknown one: authorize and register answer 404', async () => {
    const without = await t.createOrganization('Without sign-in')
    const unknown = { ...without, id: '01980000-0000-7000-8000-000000000000' }
    const body = { redirect_uris: [REDIRECT_URI] }
    for (const organization of [without, unknown]) {
      const issuer = issuerOf(t, organization)
      assert.equal((await t.call('POST', `${issuer}/register`, { key: null, body })).status, 404)
      const browser = createBrowserUser()
      const page = await browser.open(client.authorizeUrl().replace(issuerOf(t), issuer))
      assert.deepEqual([page.status, browser.lastLocation], [404, null])
    }
  })

  test('known clients and reversed domain names: their URL schemes are accepted', async () => {
    for (const uri of [
      'cursor://anysphere.cursor-mcp/oauth/callback',
      'vscode://saoudrizwan.claude-dev/mcp-auth/callback',
      'vscode-insiders://publisher.extension/callback',
      'windsurf://codeium.windsurf/callback',
      'warp://mcp/oauth2callback',
      'com.raycast:/oauth',
      'com.example.app:/callback',
    ]) {
      const body = { redirect_uris: [uri] }
      assert.equal((await t.call('POST', `${issuerOf(t)}/register`, { key: null, body })).status, 201, uri)
    }
  })

  test('loopback redirect: the port may differ, and the code is bound to it', async () => {
    const redirectUri = 'http://127.0.0.1:61234/application/callback'
    const code = (await signInAndAllow(client.authorizeUrl({ redirect_uri: redirectUri }))).get('code') ?? ''
    assert.equal((await client.exchange(code)).body.error, 'invalid_grant')
    assert.equal((await client.exchange(code, { redirect_uri: redirectUri })).status, 200)
  })

  test('registration: rejects redirect URIs that are dangerous or not exact', async () => {
    for (const uri of [
      'javascript:alert(1)',
      'data:text/html,x',
      'file:///etc/passwd',
      'blob:https://x/1',
      'http://app.example/callback',
      'https://user:pass@app.example/callback',
      'https://@app.example/callback',
      'https://app.example/callback#x',
      'https://app.example\\callback',
      'https:app.example',
      ' https://app.example/callback',
      'https://app.example/\ncallback',
      'no-scheme',
      'ms-msdt:/id',
      'search-ms:query=a',
      'smb://host/share',
      'intent://x',
      'mailto:a@b.example',
      'tel:1',
      'chrome://settings',
      'view-source:https://x.example/',
      'ftp://x.example/',
      'ws://x.example/',
      'unknown:x',
      '.:x',
      'a.:x',
      'com..example:x',
      `https://app.example/${'a'.repeat(2000)}`,
    ]) {
      const body = { redirect_uris: [uri] }
      const answer = await t.call('POST', `${issuerOf(t)}/register`, { key: null, body })
      assert.equal(answer.status, 400, uri)
      assert.equal(answer.body.error, 'invalid_redirect_uri')
    }
    for (const body of [
      {},
      { redirect_uris: [] },
      { redirect_uris: 'https://x.example/' },
      { redirect_uris: [1] },
      [],
    ])
      assert.equal((await t.call('POST', `${issuerOf(t)}/register`, { key: null, body })).status, 400)
  })

  test('registration: an ID is valid for its organization only, and cannot be forged', async () => {
    const stranger = await createRawClient(t, other)
    const page = await createBrowserUser().open(client.authorizeUrl({ client_id: stranger.clientId }))
    assert.equal(page.status, 400)
    const [metadata = '', signature = ''] = client.clientId.split('.')
    const forged = Buffer.from(JSON.stringify(['Raw client', 'https://evil.example/'])).toString('base64url')
    for (const id of [
      `${forged}.${signature}`,
      metadata,
      `${metadata}.`,
      `${metadata}.${'A'.repeat(22)}`,
      'x',
    ])
      assert.equal((await createBrowserUser().open(client.authorizeUrl({ client_id: id }))).status, 400)
  })

  test('resource of another organization or of an unknown pack: invalid_target', async () => {
    for (const resource of [
      resourceOf(t, other),
      `${t.baseUrl}/mcp/${packHandle(t.organization.id, other.toolPackId, 'production')}`,
      `${resourceOf(t)}/`,
      `${resourceOf(t)}?x=1`,
      'https://evil.example/mcp/x',
    ]) {
      const browser = createBrowserUser()
      const page = await browser.open(client.authorizeUrl({ resource }))
      assert.equal(errorAtPage(browser, page).get('error'), 'invalid_target', resource)
    }
    const tokens = await signInForTokens(client)
    const answer = await client.refresh(tokens.refresh_token, { resource: resourceOf(t, other) })
    assert.equal(answer.body.error, 'invalid_target')
    assert.equal((await client.refresh(tokens.refresh_token, { resource: resourceOf(t) })).status, 200)
  })

  test('a token works only at the address that it was issued for', async () => {
    const tokens = await signInForTokens(client)
    const pack = await t.call('POST', '/api/v1/tool-packs', { body: { name: 'Second' } })
    for (const url of [
      `${t.baseUrl}/mcp/${pack.body.handle}`,
      resourceOf(t, other),
      resourceOf(t, t.organization, 'test'),
    ])
      assert.equal((await callWithToken(t, tokens.access_token, url)).status, 401, url)
    const { body } = await t.call('GET', '/api/v1/registered-users?origin_user_id=ana')
    const keyAddress = `/api/v1/tool-packs/${t.organization.toolPackId}/registered-users/${body.data[0].id}/mcp`
    assert.equal((await callWithToken(t, tokens.access_token, keyAddress)).status, 401)
    assert.equal((await callWithToken(t, t.organization.key)).status, 401)
    assert.equal((await t.call('GET', '/api/v1/registered-users', { key: tokens.access_token })).status, 401)
  })

  test('a code of one organization is invalid at the issuer of another', async () => {
    const code = (await signInAndAllow(client.authorizeUrl())).get('code') ?? ''
    const foreign = await createRawClient(t, other)
    const answer = await foreign.exchange(code, {
      client_id: client.clientId,
      code_verifier: client.verifier,
      resource: null,
    })
    assert.equal(answer.body.error, 'invalid_grant')
    assert.equal((await client.exchange(code)).status, 200)
  })

  test('login CSRF: a callback that another browser has started is rejected, and the code is not used', async () => {
    const attacker = createBrowserUser()
    const signIn = await attacker.open(client.authorizeUrl())
    assert.match(signIn.url, /\/interaction\//)
    const login = await attacker.submit(signIn, /interaction/, { login: 'mallory', password: 'x' })
    const [form] = readForms(login)
    const cookie = [...(attacker.cookies.get(new URL(provider.issuer).host) ?? [])]
      .map(pair => pair.join('='))
      .join('; ')
    const resumed = await fetch(form?.action ?? '', {
      method: 'POST',
      redirect: 'manual',
      headers: { cookie, 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams(form?.fields).toString(),
    })
    const back = await fetch(resumed.headers.get('location') ?? '', {
      redirect: 'manual',
      headers: { cookie },
    })
    const callback = back.headers.get('location') ?? ''
    assert.match(callback, /\/callback\/production\?/)
    const victim = createBrowserUser()
    assert.equal((await victim.open(callback)).status, 403)
    assert.equal(victim.lastLocation, null)
    const withState = new URL(callback)
    const state = withState.searchParams.get('state') ?? ''
    withState.searchParams.set('state', `${state.slice(0, -1)}${state.endsWith('x') ? 'y' : 'x'}`)
    assert.equal((await attacker.open(withState.href)).status, 400)
    const consent = await attacker.open(callback)
    assert.equal(consent.status, 200)
    assert.match(consent.html, /mallory/)
    assert.equal((await attacker.open(callback)).status, 400)
  })

  test('mix-up: a response with the issuer of another provider is rejected before the code is sent', async () => {
    const browser = createBrowserUser()
    const signIn = await browser.open(client.authorizeUrl())
    const state = new URL(
      (await fetch(client.authorizeUrl(), { redirect: 'manual' })).headers.get('location') ?? '',
    ).searchParams.get('state')
    assert.ok(signIn.url.startsWith(provider.issuer) && state)
    // The state of the other request belongs to another browser.
    assert.equal(
      (await browser.open(`${issuerOf(t)}/callback/production?code=x&state=${state}&iss=${provider.issuer}`))
        .status,
      403,
    )
    const own = await ownState(browser)
    const rejected = await browser.open(
      `${issuerOf(t)}/callback/production?code=x&state=${own}&iss=https%3A%2F%2Fevil.example`,
    )
    assert.equal(rejected.status, 403)
    await browser.submit(rejected, /\/deny/)
    assert.equal(new URL(browser.lastLocation ?? '').searchParams.get('error'), 'server_error')
  })

  /** Starts a request in this browser and returns its state at the provider. */
  const ownState = async (browser: ReturnType<typeof createBrowserUser>): Promise<string> => {
    const jar = browser.cookies.get(new URL(t.baseUrl).host)
    const cookie = [...(jar ?? [])].map(pair => pair.join('=')).join('; ')
    const answer = await fetch(client.authorizeUrl(), { redirect: 'manual', headers: { cookie } })
    return new URL(answer.headers.get('location') ?? '').searchParams.get('state') ?? ''
  }

  test('confused deputy: a person who has agreed before is asked again, also with prompt=none', async () => {
    const browser = createBrowserUser()
    await signInAndAllow(client.authorizeUrl(), 'ana', browser)
    browser.lastLocation = null
    const again = await signInAtProvider(browser, client.authorizeUrl())
    assert.match(again.html, /Raw client/)
    assert.equal(browser.lastLocation, null)
    const silent = await browser.open(client.authorizeUrl({ prompt: 'none' }))
    assert.equal(errorAtPage(browser, silent).get('error'), 'interaction_required')
  })

  test('consent: cannot be framed, nor sent by another site, another browser, or without its token', async () => {
    const browser = createBrowserUser()
    const consent = await signInAtProvider(browser, client.authorizeUrl())
    assert.equal(consent.headers.get('x-frame-options'), 'DENY')
    assert.match(consent.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
    const form = readForms(consent).find(({ action }) => /\/allow/.test(action))
    const cookie = [...(browser.cookies.get(new URL(t.baseUrl).host) ?? [])]
      .map(pair => pair.join('='))
      .join('; ')
    const post = (headers: Record<string, string>, fields: Record<string, string>) =>
      fetch(form?.action ?? '', {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
        body: new URLSearchParams(fields).toString(),
      })
    assert.equal((await post({ cookie }, {})).status, 403)
    assert.equal((await post({ cookie, 'sec-fetch-site': 'cross-site' }, form?.fields ?? {})).status, 403)
    assert.equal((await post({}, form?.fields ?? {})).status, 403)
    assert.equal((await createBrowserUser().open(consent.url)).status, 404)
    assert.equal((await post({ cookie }, form?.fields ?? {})).status, 303)
    assert.equal((await post({ cookie }, form?.fields ?? {})).status, 410)
  })

  test('names of clients are text, on one line', async () => {
    const name = `<script>alert(1)</script>\u202e\n\u0000Evil${'x'.repeat(200)}`
    const registered = await t.call('POST', `${issuerOf(t)}/register`, {
      key: null,
      body: { client_name: name, redirect_uris: [REDIRECT_URI] },
    })
    assert.ok(registered.body.client_name.length <= 100)
    const consent = await signInAtProvider(
      createBrowserUser(),
      client.authorizeUrl({ client_id: registered.body.client_id }),
    )
    assert.equal(consent.status, 200)
    assert.ok(!consent.html.includes('<script>alert(1)'))
    // oxlint-disable-next-line no-control-regex
    assert.doesNotMatch(registered.body.client_name, /[\u0000-\u001f\u202e]/)
  })

  test('packs that do not allow sign-in: no metadata, no sign-in, no calls, no new tokens', async () => {
    const tokens = await signInForTokens(client)
    await configureSignIn(t, provider, { tool_pack_ids: [] })
    try {
      const metadata = resourceOf(t).replace('/mcp/', '/.well-known/oauth-protected-resource/mcp/')
      assert.equal((await t.call('GET', metadata, { key: null })).status, 404)
      const browser = createBrowserUser()
      const page = await browser.open(client.authorizeUrl())
      assert.equal(errorAtPage(browser, page).get('error'), 'invalid_target')
      assert.equal((await client.refresh(tokens.refresh_token)).body.error, 'invalid_grant')
      assert.equal((await callWithToken(t, tokens.access_token)).status, 401)
    } finally {
      await configureSignIn(t, provider)
    }
    assert.equal((await callWithToken(t, tokens.access_token)).status, 200)
    assert.equal((await client.refresh(tokens.refresh_token)).status, 200)
  })

  test('sign-in that is turned off: calls with tokens end at once', async () => {
    const tokens = await signInForTokens(client)
    assert.equal((await callWithToken(t, tokens.access_token)).status, 200)
    assert.equal((await t.call('DELETE', '/api/v1/sign-in')).status, 204)
    try {
      assert.equal((await callWithToken(t, tokens.access_token)).status, 401)
    } finally {
      await configureSignIn(t, provider)
    }
  })

  test('a deleted pack: its tokens end at once', async () => {
    const pack = await t.call('POST', '/api/v1/tool-packs', { body: { name: 'Short-lived' } })
    const resource = `${t.baseUrl}/mcp/${pack.body.handle}`
    const code = (await signInAndAllow(client.authorizeUrl({ resource }))).get('code') ?? ''
    const tokens = await client.exchange(code, { resource })
    assert.equal((await callWithToken(t, tokens.body.access_token, resource)).status, 200)
    await t.call('DELETE', `/api/v1/tool-packs/${pack.body.id}`)
    assert.equal((await callWithToken(t, tokens.body.access_token, resource)).status, 401)
    assert.equal((await client.refresh(tokens.body.refresh_token)).body.error, 'invalid_grant')
  })

  describe('client ID metadata documents', () => {
    let documents: ReturnType<typeof createServer>
    let origin: string
    let requests: string[] = []
    before(async () => {
      documents = createServer((request, response) => {
        requests.push(request.url ?? '')
        const id = `${origin}${request.url}`
        const good = { client_id: id, client_name: 'Document client', redirect_uris: [REDIRECT_URI] }
        const send = (body: unknown, status = 200, headers = {}) => {
          response.writeHead(status, { 'content-type': 'application/json', ...headers })
          response.end(typeof body === 'string' ? body : JSON.stringify(body))
        }
        switch (request.url ?? '') {
          case '/good':
            return send(good)
          case '/other-id':
            return send({ ...good, client_id: `${origin}/good` })
          case '/secret':
            return send({ ...good, token_endpoint_auth_method: 'client_secret_basic' })
          case '/huge':
            return send({ ...good, more: 'x'.repeat(100_000) })
          case '/redirect':
            return send('', 302, { location: `${origin}/good` })
          case '/script':
            return send({ ...good, redirect_uris: ['javascript:alert(1)'] })
          case '/array':
            return send([good])
          default:
            return send('not json')
        }
      })
      await new Promise<void>(resolve => documents.listen(0, '127.0.0.1', resolve))
      origin = `http://127.0.0.1:${(documents.address() as AddressInfo).port}`
    })
    after(() => documents.close())

    test('a valid document: the client signs the user in without a registration', async () => {
      const clientId = `${origin}/good`
      const code = (await signInAndAllow(client.authorizeUrl({ client_id: clientId }))).get('code') ?? ''
      assert.equal((await client.exchange(code)).body.error, 'invalid_grant')
      assert.equal((await client.exchange(code, { client_id: clientId })).status, 200)
    })

    test('documents of another client, with a secret, too large, redirected or malformed are rejected', async () => {
      for (const path of ['/other-id', '/secret', '/huge', '/redirect', '/script', '/array', '/text'])
        assert.equal(
          (await createBrowserUser().open(client.authorizeUrl({ client_id: origin + path }))).status,
          400,
          path,
        )
    })

    test('private addresses, and URLs that are not canonical, are not requested', async () => {
      requests = []
      for (const id of [
        'https://10.0.0.1/client',
        'https://169.254.169.254/latest/meta-data',
        'https://[::ffff:10.0.0.1]/client',
        'http://internal.example/client',
        `${origin}/`,
        origin,
        `${origin}/good#x`,
        `${origin}/a/../good`,
        origin.replace('http://', 'http://user@') + '/good',
        `${origin.replace('127.0.0.1', '127.1')}/good`,
      ])
        assert.equal((await createBrowserUser().open(client.authorizeUrl({ client_id: id }))).status, 400, id)
      assert.deepEqual(requests, [])
    })
  })

  test('huge and malformed input: 4xx, never 5xx', async () => {
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const big = 'a'.repeat(100_000)
    const requests: [string, string, string | undefined, Record<string, string>][] = [
      ['POST', '/token', `grant_type=${big}`, form],
      ['POST', '/token', 'grant_type=refresh_token&grant_type=refresh_token&client_id=x', form],
      ['POST', '/token', 'grant_type=%00&client_id=%00', form],
      ['POST', '/token', '{"grant_type":{}}', { 'content-type': 'application/json' }],
      ['POST', '/token', 'x', { 'content-type': 'text/plain' }],
      ['POST', '/token', undefined, {}],
      [
        'POST',
        '/token',
        'grant_type=authorization_code&client_id=x&code=x&code_verifier=x&redirect_uri=x',
        form,
      ],
      ['POST', '/revoke', `token=${'x'.repeat(5000)}&client_id=x`, form],
      ['POST', '/revoke', 'token=%ED%A0%80&client_id=%00', form],
      ['POST', '/register', `{"redirect_uris":["${big}"]}`, { 'content-type': 'application/json' }],
      ['POST', '/register', '{"redirect_uris":', { 'content-type': 'application/json' }],
      ['POST', '/register', 'null', { 'content-type': 'application/json' }],
      ['GET', `/authorize?state=${'s'.repeat(5000)}&client_id=x`, undefined, {}],
      ['GET', '/authorize?client_id=%00', undefined, {}],
      ['GET', '/authorize?client_id=%ED%A0%80&redirect_uri=%', undefined, {}],
      ['GET', '/callback/production?state=%00&code=%00', undefined, {}],
      ['GET', '/callback/staging', undefined, {}],
      ['GET', '/requests/x', undefined, {}],
      ['GET', `/requests/${'x'.repeat(300)}`, undefined, {}],
      ['GET', '/continue/x/y', undefined, {}],
      ['POST', '/requests/x/allow', 'form_token=x', form],
    ]
    for (const base of [issuerOf(t), `${t.baseUrl}/sign-in/unknown`])
      for (const [method, path, raw, headers] of requests) {
        const answer = await t.call(method, base + path, {
          key: null,
          headers,
          ...(raw !== undefined && { raw }),
        })
        assert.ok(
          answer.status < 500,
          `${method} ${path.slice(0, 60)} ${raw?.slice(0, 40)}: ${answer.status}`,
        )
      }
    const longState = new URL(client.authorizeUrl({ state: 's'.repeat(5000) }))
    const browser = createBrowserUser()
    const page = await browser.open(longState.href)
    assert.equal(errorAtPage(browser, page).get('error'), 'invalid_request')
  })

  test('tokens, codes and secrets are neither logged nor stored in plaintext', async () => {
    const response = await signInAndAllow(client.authorizeUrl(), 'canary')
    const tokens = await client.exchange(response.get('code') ?? '')
    await client.refresh(tokens.body.refresh_token)
    const secrets = [
      response.get('code'),
      tokens.body.access_token,
      tokens.body.refresh_token,
      'a-secret-of-the-test',
    ]
    const rows = JSON.stringify(
      await Promise.all(
        ['client_grants', 'access_tokens', 'refresh_tokens', 'sign_in_settings', 'events'].map(table =>
          t.query(`select to_jsonb(x)::text as row from ${table} x`),
        ),
      ),
    )
    for (const secret of secrets) {
      assert.ok(secret && !t.logLines.some(line => line.includes(secret)))
      assert.ok(!rows.includes(secret))
    }
    const hash = createHash('sha256').update(tokens.body.access_token).digest('hex')
    assert.ok(rows.includes(hash))
  })
})

describe('sign-in in the application', () => {
  let t: TestService
  let client: RawClient
  before(async () => {
    t = await joinTestService()
    const answer = await t.call('PUT', '/api/v1/sign-in', {
      body: { sign_in_url: 'https://app.example.com/sign-in?from=mcp' },
    })
    assert.equal(answer.status, 200, answer.text)
    client = await createRawClient(t)
  })
  after(() => t.stop())

  const begin = async (browser = createBrowserUser()) => {
    await browser.open(client.authorizeUrl())
    const address = new URL(browser.lastLocation ?? '')
    browser.lastLocation = null
    assert.equal(`${address.origin}${address.pathname}`, 'https://app.example.com/sign-in')
    assert.equal(address.searchParams.get('from'), 'mcp')
    return { browser, request: address.searchParams.get('request') ?? '' }
  }
  const approve = (request: string, userId: string, key = t.organization.key) =>
    t.call('POST', `/api/v1/sign-in/requests/${request}/approve`, {
      key,
      body: { registered_user_id: userId },
    })

  test('the application approves: the link continues in the browser that has started, once', async () => {
    const { id } = await t.createUser({ origin_user_name: 'Ana Ruiz' })
    const { browser, request } = await begin()
    const approved = await approve(request, id)
    assert.equal(approved.status, 200, approved.text)
    const consent = await browser.open(approved.body.url)
    assert.match(consent.html, /Ana Ruiz/)
    assert.equal((await browser.open(approved.body.url)).status, 403)
    await browser.submit(consent, /\/allow/)
    const tokens = await client.exchange(new URL(browser.lastLocation ?? '').searchParams.get('code') ?? '')
    assert.equal(tokens.status, 200, tokens.text)
    assert.equal((await callWithToken(t, tokens.body.access_token)).status, 200)
  })

  test('session fixation: the link works neither in the browser of the victim, nor without it for the attacker', async () => {
    const { id } = await t.createUser()
    const { browser: attacker, request } = await begin()
    const approved = await approve(request, id)
    assert.equal((await createBrowserUser().open(approved.body.url)).status, 403)
    const consent = approved.body.url.replace(/\/continue\/([^/]+)\/.*$/, '/requests/$1')
    assert.equal((await attacker.open(consent)).status, 404)
    assert.equal((await attacker.open(approved.body.url.slice(0, -1))).status, 403)
  })

  test('approval: rejects users of another mode or organization, unknown and finished requests', async () => {
    const other = await t.createOrganization('Other')
    const own = await t.createUser()
    const testUser = await t.createUser({}, t.organization.testKey)
    const foreign = await t.createUser({}, other.key)
    const { browser, request } = await begin()
    for (const userId of [testUser.id, foreign.id, 'x'])
      assert.equal((await approve(request, userId)).body.error.code, 'registered_user_not_found')
    assert.equal((await approve(request, foreign.id, other.key)).body.error.code, 'sign_in_request_not_found')
    assert.equal(
      (await approve(request, testUser.id, t.organization.testKey)).body.error.code,
      'sign_in_request_not_found',
    )
    const first = await approve(request, own.id)
    const second = await approve(request, own.id)
    assert.equal((await browser.open(first.body.url)).status, 403)
    const consent = await browser.open(second.body.url)
    assert.equal(consent.status, 200)
    assert.equal((await approve(request, own.id)).body.error.code, 'sign_in_request_not_found')
    await t.call('PATCH', `/api/v1/registered-users/${own.id}`, { body: { is_active: false } })
    await browser.submit(consent, /\/allow/)
    assert.equal(new URL(browser.lastLocation ?? '').searchParams.get('error'), 'access_denied')
  })
})

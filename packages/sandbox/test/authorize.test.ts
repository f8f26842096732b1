import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type Sandbox, startSandbox } from '../src/index.ts'
import { CookieBrowser } from './cookie-browser.ts'
import {
  authorizeUrl,
  client,
  consent,
  exchange,
  get,
  link,
  pkce,
  redirectUri,
  send,
  tokensOf,
} from './oauth-client.ts'

describe('authorization', () => {
  let sandbox: Sandbox
  before(async () => {
    sandbox = await startSandbox({ client })
  })
  after(() => sandbox.close())

  it('issues a code, then tokens, after sign-in and consent', async () => {
    const { verifier, challenge } = pkce()
    const callback = await consent(sandbox.url, challenge)
    assert.equal(callback.url.origin + callback.url.pathname, redirectUri)
    assert.equal(callback.url.searchParams.get('state'), 'st-1')
    assert.equal(callback.url.searchParams.get('iss'), sandbox.url)
    const tokens = tokensOf(
      await exchange(sandbox.url, callback.url.searchParams.get('code') ?? '', verifier),
    )
    assert.equal(tokens.scope, 'notes:read notes:write')
    assert.equal(tokens.expires_in, 3600)
    assert.equal(tokens.token_type, 'Bearer')
    assert.ok(!tokens.access_token.includes('.'), 'the access token is opaque')
    const me = await get(`${sandbox.url}/notes/api/me`, tokens.access_token)
    assert.deepEqual(me.body, { id: 'ana', email: 'ana@example.com', name: 'Ana Ruiz' })
  })

  it('rejects a request without PKCE, and one with the plain method', async () => {
    for (const method of ['none', 'plain']) {
      const address = authorizeUrl(sandbox.url, pkce().challenge)
      address.searchParams.delete('code_challenge_method')
      if (method === 'plain') address.searchParams.set('code_challenge_method', 'plain')
      else address.searchParams.delete('code_challenge')
      const { url } = await new CookieBrowser().open(address)
      assert.equal(url.searchParams.get('error'), 'invalid_request')
      assert.equal(url.searchParams.get('iss'), sandbox.url)
    }
  })

  it('rejects a code with the wrong verifier', async () => {
    const callback = await consent(sandbox.url, pkce().challenge)
    const code = callback.url.searchParams.get('code') ?? ''
    const { status, body } = await exchange(sandbox.url, code, pkce().verifier)
    assert.deepEqual([status, body.error], [400, 'invalid_grant'])
  })

  it('revokes the grant when a code is reused', async () => {
    const { verifier, challenge } = pkce()
    const code = (await consent(sandbox.url, challenge)).url.searchParams.get('code') ?? ''
    const tokens = tokensOf(await exchange(sandbox.url, code, verifier))
    assert.equal((await exchange(sandbox.url, code, verifier)).body.error, 'invalid_grant')
    assert.equal((await get(`${sandbox.url}/notes/api/me`, tokens.access_token)).status, 401)
  })

  it('sends access_denied with state and iss when the user denies, on either page', async () => {
    const browser = new CookieBrowser()
    const login = await browser.open(authorizeUrl(sandbox.url, pkce().challenge))
    const cancelled = await browser.press(login, 'decision', 'deny')
    const again = await browser.open(authorizeUrl(sandbox.url, pkce().challenge))
    const denied = await browser.press(await browser.press(again, 'account', 'ben'), 'decision', 'deny')
    for (const { url } of [cancelled, denied]) {
      assert.equal(url.searchParams.get('error'), 'access_denied')
      assert.equal(url.searchParams.get('state'), 'st-1')
      assert.equal(url.searchParams.get('iss'), sandbox.url)
      assert.equal(url.searchParams.get('code'), null)
    }
  })

  it('reports only the scopes that the user granted', async () => {
    const tokens = await link(sandbox, { untick: ['notes:write'] })
    assert.equal(tokens.scope, 'notes:read')
    const draft = { title: 'No', text: '' }
    const rejected = await send(`${sandbox.url}/notes/api/notes`, 'POST', draft, tokens.access_token)
    assert.equal(rejected.status, 403)
    assert.match(
      rejected.headers.get('www-authenticate') ?? '',
      /error="insufficient_scope".*scope="notes:write"/,
    )
  })

  it('denies when no scope is granted', async () => {
    const choices = { untick: ['notes:write'], extra: { scope: 'notes:write' } }
    const { url } = await consent(sandbox.url, pkce().challenge, choices)
    assert.equal(url.searchParams.get('error'), 'access_denied')
  })

  it('requires consent each time, and sign-in once per browser', async () => {
    const browser = new CookieBrowser()
    await link(sandbox, { browser })
    const second = await browser.open(authorizeUrl(sandbox.url, pkce().challenge))
    assert.match(second.html, /value="allow"/)
    assert.match(second.html, /ana@example\.com/)
  })

  it('allows another account from the consent page', async () => {
    const browser = new CookieBrowser()
    const first = await link(sandbox, { browser })
    const { verifier, challenge } = pkce()
    const consentPage = await browser.open(authorizeUrl(sandbox.url, challenge))
    const login = await browser.press(consentPage, 'decision', 'switch')
    const asBen = await browser.press(login, 'account', 'ben')
    const callback = await browser.press(asBen, 'decision', 'allow')
    const tokens = tokensOf(
      await exchange(sandbox.url, callback.url.searchParams.get('code') ?? '', verifier),
    )
    assert.equal((await get(`${sandbox.url}/notes/api/me`, tokens.access_token)).body.id, 'ben')
    assert.equal((await get(`${sandbox.url}/notes/api/me`, first.access_token)).body.id, 'ana')
  })

  it('shows a page and does not redirect for an unknown redirect URI', async () => {
    const extra = { redirect_uri: 'http://localhost:4999/elsewhere' }
    const page = await new CookieBrowser().open(authorizeUrl(sandbox.url, pkce().challenge, extra))
    assert.equal(page.status, 400)
    assert.match(page.html, /invalid_redirect_uri/)
  })

  it('shows a page for a sign-in that has ended', async () => {
    const page = await new CookieBrowser().open(`${sandbox.url}/oauth/interaction/long-gone`)
    assert.equal(page.status, 400)
    assert.match(page.html, /This sign-in has ended/)
  })

  it('returns the user of an openid token', async () => {
    const tokens = await link(sandbox, { extra: { scope: 'openid profile email notes:read' } })
    assert.equal(tokens.scope, 'openid profile email notes:read')
    const [header = ''] = (tokens.id_token ?? '').split('.')
    assert.equal(JSON.parse(Buffer.from(header, 'base64url').toString()).alg, 'ES256')
    const { body } = await get(`${sandbox.url}/oauth/userinfo`, tokens.access_token)
    assert.deepEqual(body, { sub: 'ana', name: 'Ana Ruiz', email: 'ana@example.com', email_verified: true })
  })

  it('publishes metadata and registers clients', async () => {
    const { body } = await get(`${sandbox.url}/.well-known/oauth-authorization-server`)
    assert.equal(body.issuer, sandbox.url)
    assert.equal(body.authorization_endpoint, `${sandbox.url}/oauth/authorize`)
    assert.equal(body.token_endpoint, `${sandbox.url}/oauth/token`)
    assert.equal(body.revocation_endpoint, `${sandbox.url}/oauth/revoke`)
    assert.equal(body.userinfo_endpoint, `${sandbox.url}/oauth/userinfo`)
    assert.equal(body.authorization_response_iss_parameter_supported, true)
    assert.deepEqual(body.code_challenge_methods_supported, ['S256'])
    const registered = await send(String(body.registration_endpoint), 'POST', {
      redirect_uris: [redirectUri],
    })
    assert.equal(registered.status, 201)
    assert.equal(typeof registered.body.client_secret, 'string')
    assert.deepEqual(registered.body.grant_types, ['authorization_code', 'refresh_token'])
  })

  it('escapes the client name, and blocks scripts and frames on its pages', async () => {
    const browser = new CookieBrowser()
    const page = await browser.open(authorizeUrl(sandbox.url, pkce().challenge))
    assert.match(page.html, /Orbit &lt;b&gt;/)
    assert.doesNotMatch(page.html, /<script/)
    const policy = page.headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/)
    assert.doesNotMatch(policy, /form-action|unsafe/)
    assert.equal(page.headers.get('cache-control'), 'no-store')
  })
})

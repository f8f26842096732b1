import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { type BrowserUser, createBrowserUser, type Page } from '../support/browser-user.ts'
import { writeConnectors } from '../support/listed-connectors.ts'
import { CONSUMER, type OAuth1Vendor, startOAuth1Vendor } from '../support/oauth1-vendor.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const SIGNATURES = ['HMAC-SHA1', 'HMAC-SHA256', 'PLAINTEXT'] as const

describe('signing in with OAuth 1.0a', () => {
  const vendors: OAuth1Vendor[] = []
  let vendor: OAuth1Vendor
  let t: TestService
  let files: ReturnType<typeof writeConnectors>
  const seen: string[] = []
  before(async () => {
    for (const signature of SIGNATURES) vendors.push(await startOAuth1Vendor(signature))
    vendor = vendors[0]!
    files = writeConnectors(vendors.map(({ connector }) => connector))
    t = await startTestService('postgres', {
      CONNECTORS_DIRECTORY: files.folder,
      OAUTH_VENDOR_PLAINTEXT_CLIENT_ID: CONSUMER.key,
      OAUTH_VENDOR_PLAINTEXT_CLIENT_SECRET: CONSUMER.secret,
    })
    for (const each of vendors.slice(0, 2)) await configureApp(each)
  })
  after(async () => {
    await t.stop()
    files.remove()
    for (const each of vendors) each.stop()
  })

  const configureApp = (of: OAuth1Vendor, secret = CONSUMER.secret) =>
    t.call('PUT', `/api/v1/connectors/${of.slug}/oauth-app`, {
      body: { client_id: CONSUMER.key, client_secret: secret },
    })
  /** Opens a link and agrees to its consent page, which leads to the provider. */
  const start = async (userId: string, { of = vendor, browser = createBrowserUser() } = {}) => {
    const page = await browser.open((await t.mint(userId, { connector: of.slug })).magic_link_url)
    const signIn = await browser.submit(page, /\/start$/)
    seen.push(page.html, signIn.html)
    const token = new URL(signIn.url).searchParams.get('oauth_token') ?? ''
    return { browser, page, signIn, token }
  }
  const open = async (browser: BrowserUser, url: string): Promise<Page> => {
    const page = await browser.open(url)
    seen.push(page.html)
    return page
  }
  const link = async (of = vendor, userId?: string): Promise<string> => {
    const id = userId ?? (await t.createUser()).id
    const { browser, token } = await start(id, { of })
    const done = await open(browser, of.allow(token))
    assert.match(done.url, /\/done/, done.html)
    return id
  }
  const credentialOf = async (userId: string) =>
    (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data[0]
  const call = async (userId: string, of = vendor) => {
    const name = `${of.slug}__search`
    const { result } = (await t.mcp(userId, 'tools/call', { name, arguments: { text: 'a b&(ü)' } })).body
    seen.push(JSON.stringify(result))
    return result
  }

  for (const signature of SIGNATURES)
    it(`${signature}: links an account, names it, and signs its calls [credential.signed-requests]`, async () => {
      const of = vendors.find(({ slug }) => slug.endsWith(signature.toLowerCase())) as OAuth1Vendor
      const { id } = await t.createUser()
      const { browser, page, signIn, token } = await start(id, { of })
      assert.match(page.html, /Continue/)
      assert.match(signIn.url, /\/authorize\?Access=Full&oauth_token=request-token-canary/)
      const done = await open(browser, of.allow(token))
      assert.match(done.url, /\/done/, done.html)
      const { method, account, oauth_app, status } = await credentialOf(id)
      const by = signature === 'PLAINTEXT' ? 'service' : 'own'
      assert.deepEqual([method, account, oauth_app, status], ['oauth1', 'Ana', by, 'active'])
      const result = await call(id, of)
      assert.equal(result.isError, false, JSON.stringify(result))
    })

  it('a denial at the provider ends the attempt without an access token', async () => {
    const denials = [
      (token: string) => ({ denied: token }),
      (token: string) => ({ oauth_token: token, oauth_problem: 'user_refused' }),
    ]
    for (const parameters of denials) {
      const { id } = await t.createUser()
      const { browser, token } = await start(id)
      const earlier = vendor.calls.length
      const ended = await open(browser, vendor.deny(token, parameters(token)))
      assert.match(ended.html, /Nothing was connected|not connected|cancel/i)
      assert.deepEqual(vendor.calls.slice(earlier), [])
      assert.ok((await t.events(id)).some(({ type }) => type === 'link.exited'))
      assert.equal(await credentialOf(id), undefined)
    }
  })

  it('a repeated callback shows the result again and requests nothing', async () => {
    const { id } = await t.createUser()
    const { browser, token } = await start(id)
    const callback = vendor.allow(token)
    await open(browser, callback)
    const { updated_at } = await credentialOf(id)
    const earlier = vendor.calls.length
    assert.match((await open(browser, callback)).url, /\/done/)
    assert.equal(vendor.calls.length, earlier)
    assert.equal((await credentialOf(id)).updated_at, updated_at)
  })

  it('two callbacks at once request one access token', async () => {
    const { id } = await t.createUser()
    const { browser, token } = await start(id)
    const callback = vendor.allow(token)
    const earlier = vendor.calls.length
    await Promise.all([browser.open(callback), browser.open(callback)])
    assert.equal(vendor.calls.slice(earlier).filter(path => path === '/access_token').length, 1)
    assert.equal((await credentialOf(id)).status, 'active')
  })

  it('a callback in another browser stores nothing, and the first browser can still finish', async () => {
    const { id } = await t.createUser()
    const { browser, token } = await start(id)
    const callback = vendor.allow(token)
    const earlier = vendor.calls.length
    assert.equal((await open(createBrowserUser(), callback)).status, 403)
    assert.equal(vendor.calls.length, earlier)
    assert.equal(await credentialOf(id), undefined)
    assert.match((await open(browser, callback)).url, /\/done/)
  })

  it('the request token of another attempt is not exchanged', async () => {
    const [victim, attacker] = [await t.createUser(), await t.createUser()]
    const own = await start(victim.id)
    const other = await start(attacker.id)
    const [mine, theirs] = [vendor.allow(own.token), new URL(vendor.allow(other.token))]
    const mixed = new URL(mine)
    for (const name of ['oauth_token', 'oauth_verifier'])
      mixed.searchParams.set(name, theirs.searchParams.get(name) ?? '')
    const earlier = vendor.calls.length
    const ended = await open(own.browser, mixed.href)
    assert.doesNotMatch(ended.url, /\/done/)
    assert.deepEqual(vendor.calls.slice(earlier), [])
    assert.equal(await credentialOf(victim.id), undefined)
  })

  it('a callback without a verifier, or with an unknown state, stores nothing', async () => {
    const { id } = await t.createUser()
    const { browser, token } = await start(id)
    const callback = new URL(vendor.allow(token))
    const unknown = new URL(callback)
    unknown.searchParams.set('state', 'x'.repeat(47))
    assert.equal((await open(browser, unknown.href)).status, 400)
    callback.searchParams.delete('oauth_verifier')
    assert.doesNotMatch((await open(browser, callback.href)).url, /\/done/)
    assert.equal(await credentialOf(id), undefined)
  })

  it('a provider that issues no request token is named on a page, and the link can be used again', async () => {
    const failures = [
      { status: 401 },
      { status: 500 },
      { status: 200, body: 'not a form' },
      { status: 200, body: 'oauth_token=a%0d%0ab&oauth_token_secret=x' },
      { cut: true as const },
    ]
    for (const failure of failures) {
      const { id } = await t.createUser()
      vendor.reply('request_token', failure)
      const { magic_link_url: url } = await t.mint(id, { connector: vendor.slug })
      const browser = createBrowserUser()
      const ended = await browser.submit(await browser.open(url), /\/start$/)
      seen.push(ended.html)
      assert.match(ended.html, /Photos/, JSON.stringify(failure))
      assert.ok((await t.events(id)).some(({ type }) => type === 'link.failed'))
      const again = await browser.submit(await browser.open(url), /\/start$/)
      const token = new URL(again.url).searchParams.get('oauth_token') ?? ''
      assert.match((await open(browser, vendor.allow(token))).url, /\/done/)
    }
  })

  it('a provider that issues no access token is named on a page, and nothing is stored', async () => {
    for (const failure of [
      { status: 401 },
      { status: 500 },
      { body: 'oauth_token=' },
      { cut: true as const },
    ]) {
      const { id } = await t.createUser()
      const { browser, token } = await start(id)
      vendor.reply('access_token', failure)
      const ended = await open(browser, vendor.allow(token))
      assert.doesNotMatch(ended.url, /\/done/)
      assert.match(ended.html, /Photos/)
      assert.equal(await credentialOf(id), undefined)
    }
  })

  it('a new secret of the OAuth app is used by accounts that were linked before', async () => {
    const id = await link()
    const linked = await credentialOf(id)
    vendor.rotateConsumerSecret('rotated-secret-canary-77e0')
    await configureApp(vendor, 'rotated-secret-canary-77e0')
    const results = await Promise.all([call(id), call(id)])
    for (const result of results) assert.equal(result.isError, false, JSON.stringify(result))
    assert.equal((await credentialOf(id)).id, linked.id)
    assert.ok((await t.events(id)).some(({ type }) => type === 'credential.refreshed'))
    vendor.rotateConsumerSecret(CONSUMER.secret)
    await configureApp(vendor)
    await t.moveClock(3_600_000)
    assert.equal((await call(id)).isError, false)
  })

  it('a refused token does not end the account at once, and it can be connected again [credential.bare-401]', async () => {
    const id = await link()
    const { id: credentialId } = await credentialOf(id)
    vendor.revokeTokens()
    assert.equal((await call(id)).isError, true)
    assert.equal((await credentialOf(id)).status, 'active')
    await link(vendor, id)
    assert.equal((await credentialOf(id)).id, credentialId)
    assert.equal((await call(id)).isError, false)
  })

  it('tests the OAuth app by requesting a token', async () => {
    const test = () => t.call('POST', `/api/v1/connectors/${vendor.slug}/oauth-app/test`)
    assert.equal((await test()).body.outcome, 'accepted')
    vendor.reply('request_token', { status: 500 })
    assert.equal((await test()).body.outcome, 'unknown')
    await configureApp(vendor, 'wrong')
    assert.equal((await test()).body.outcome, 'rejected')
    await configureApp(vendor)
  })

  it('an account whose OAuth app is removed has to be connected again', async () => {
    const of = vendors[1]!
    const id = await link(of)
    await t.call('DELETE', `/api/v1/connectors/${of.slug}/oauth-app`)
    assert.equal((await credentialOf(id)).status, 'needs_reauth')
    await configureApp(of)
  })

  it('leaves no secret in logs, events, records, pages or results [credential.signed-requests]', async () => {
    const tables = await t.query<{ name: string }>(
      `select format('%I.%I', schemaname, tablename) as name from pg_tables
       where schemaname not in ('pg_catalog', 'information_schema')`,
    )
    const rows = await Promise.all(
      tables.map(async ({ name }) =>
        JSON.stringify(await t.query(`select row_to_json(x)::text as text from ${name} x`)),
      ),
    )
    const sinks = {
      rows: rows.join(''),
      log: t.logLines.join(''),
      seen: seen.join(''),
      events: JSON.stringify(await t.events()),
    }
    for (const [sink, text] of Object.entries(sinks)) {
      assert.ok(text.length > 500, sink)
      const found =
        /(?:consumer-secret|rotated-secret|request-secret|access-secret|access-token|verifier)-canary\S{0,20}/.exec(
          text,
        )
      assert.equal(found, null, `${sink} contains ${found?.[0]}`)
    }
  })
})

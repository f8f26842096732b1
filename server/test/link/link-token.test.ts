import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MINUTE } from '../../src/core/duration.ts'
import { consentAtSandbox, createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

for (const engine of flowEngines) {
  describe(`link tokens on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
      await t.allowOrigin('https://app.example.com')
      await t.allowOrigin('myapp://')
    })
    after(() => t.stop())

    const linked = async (userId: string): Promise<string[]> =>
      (await t.call('GET', `/api/v1/registered-users/${userId}`)).body.linked_connectors

    it('mint returns 201 with token, expiry and magic link [token.mint] [mint.path] [mint.both-flows] [response.link-token] [link-token.opaque-with-expiry] [magic-link.shape] [user.id-is-uuid] [limit.token-lifetime]', async () => {
      const user = await t.createUser()
      assert.match(user.id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/)
      const earlier = Date.now()
      const answer = await t.call('POST', `/api/registered-users/${user.id}/link-token`)
      assert.equal(answer.status, 201)
      assert.deepEqual(Object.keys(answer.body).toSorted(), ['expires_at', 'link_token', 'magic_link_url'])
      assert.match(answer.body.link_token, /^cb_lnk_[0-9A-Za-z]{53}$/)
      assert.match(answer.body.expires_at, /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/)
      const ahead = Date.parse(answer.body.expires_at) - earlier
      assert.ok(Math.abs(ahead - 30 * MINUTE) < 5000, `${ahead} ms`)
      assert.ok(answer.body.magic_link_url.startsWith(`${t.baseUrl}/magic-link/cb_mlk_`))
    })

    it('the picker lists every connector of the pack; a locked link shows one [pack.picker-lists-all] [link-token.one-user-one-connector] [connector.slug] [page.no-key]', async () => {
      const user = await t.createUser()
      const picker = await createBrowserUser().open((await t.mint(user.id)).magic_link_url)
      for (const { slug } of (await t.call('GET', '/api/v1/connectors')).body.data) {
        assert.match(slug, /^[a-z0-9]+(-[a-z0-9]+)*$/)
        assert.match(picker.html, new RegExp(`connector=${slug}"`))
      }
      const locked = await createBrowserUser().open(
        (await t.mint(user.id, { Connector: 'sandbox-vault' })).magic_link_url,
      )
      assert.doesNotMatch(locked.html, /sandbox-notes/)
      assert.match(locked.html, /Vault/)
    })

    it('Connector, connector_slug and connector have the same meaning [request.connector-names]', async () => {
      const user = await t.createUser()
      for (const body of [
        { Connector: 'sandbox-vault' },
        { connector_slug: 'sandbox-vault' },
        { connector: 'sandbox-vault' },
        { Connector: 'sandbox-vault', connector_slug: 'sandbox-vault' },
      ]) {
        const page = await createBrowserUser().open((await t.mint(user.id, body)).magic_link_url)
        assert.match(page.html, /name="api_key"/)
      }
    })

    it('without state the credential is stored and the user sees the completion page [session.direct] [page.completion] [auth.oauth] [token.used-once]', async () => {
      const user = await t.createUser()
      const page = await linkNotes(createBrowserUser(), (await t.mint(user.id)).magic_link_url)
      assert.equal(page.status, 200)
      assert.match(page.html, /ana@example\.com/)
      assert.deepEqual(await linked(user.id), ['sandbox-notes'])
    })

    it('with callback_url and no state the browser is redirected there with the status only [session.direct] [request.callback-url] [callback.status] [code.only-in-callback]', async () => {
      const user = await t.createUser()
      const browser = createBrowserUser()
      await linkNotes(
        browser,
        (await t.mint(user.id, { callback_url: 'https://app.example.com/cb?own=1#part' })).magic_link_url,
      )
      assert.equal(browser.lastLocation, 'https://app.example.com/cb?own=1&status=success#part')
      assert.deepEqual(await linked(user.id), ['sandbox-notes'])
    })

    it('with callback_url and state a code is issued and nothing is stored [session.code-issued] [request.state] [callback.code-and-state]', async () => {
      const user = await t.createUser()
      const browser = createBrowserUser()
      await linkNotes(
        browser,
        (await t.mint(user.id, { callback_url: 'https://app.example.com/cb', state: 's 1' })).magic_link_url,
      )
      const { searchParams } = new URL(browser.lastLocation as string)
      assert.deepEqual([...searchParams.keys()], ['status', 'code', 'state'])
      assert.equal(searchParams.get('status'), 'success')
      assert.equal(searchParams.get('state'), 's 1')
      assert.match(searchParams.get('code') as string, /^cb_code_[0-9A-Za-z]{53}$/)
      assert.deepEqual(await linked(user.id), [])
    })

    it('a denied consent is exit, a provider failure is error, and nothing is stored [session.exit-or-error] [callback.status]', async () => {
      const user = await t.createUser()
      const { magic_link_url } = await t.mint(user.id, {
        callback_url: 'https://app.example.com/cb',
        state: 'abc',
      })
      const browser = createBrowserUser()
      await linkNotes(browser, magic_link_url, { decision: 'deny' })
      assert.equal(browser.lastLocation, 'https://app.example.com/cb?status=exit&state=abc')
      await browser.submit(await browser.open(magic_link_url), /\/cancel$/)
      assert.equal(browser.lastLocation, 'https://app.example.com/cb?status=exit&state=abc')
      t.sandbox.script({ target: 'token', behavior: 'status', status: 500 })
      await linkNotes(browser, magic_link_url)
      assert.equal(browser.lastLocation, 'https://app.example.com/cb?status=error&state=abc')
      assert.deepEqual(await linked(user.id), [])
      const types = (await t.events(user.id)).map(event => event.type)
      assert.deepEqual(types, [
        'registered_user.created',
        'link.opened',
        'link.exited',
        'link.exited',
        'link.failed',
      ])
      // Exit and failure end the attempt, not the link.
      await linkNotes(browser, magic_link_url)
      assert.match(browser.lastLocation ?? '', /status=success&code=/)
    })

    it('a used link stays used, for the link token and the magic link [token.used-again] [token.used-once] [limit.token-lifetime]', async () => {
      const user = await t.createUser()
      const { magic_link_url } = await t.mint(user.id)
      await linkNotes(createBrowserUser(), magic_link_url)
      const again = await createBrowserUser().open(magic_link_url)
      assert.equal(again.status, 410)
      assert.match(again.title, /used/i)
    })

    it('an unused link expires after 30 minutes, and not earlier [token.expires] [limit.token-lifetime]', async () => {
      const user = await t.createUser()
      const { magic_link_url } = await t.mint(user.id)
      await t.moveClock(30 * MINUTE - 5000)
      assert.equal((await createBrowserUser().open(magic_link_url)).status, 200)
      await t.moveClock(6000)
      const late = await createBrowserUser().open(magic_link_url)
      assert.equal(late.status, 410)
      assert.match(late.title, /expired/i)
    })

    it('a return from the provider after 30 minutes stores nothing, and the new grant is revoked [token.expires]', async () => {
      const user = await t.createUser()
      const browser = createBrowserUser()
      const landing = await browser.open(
        (await t.mint(user.id, { Connector: 'sandbox-notes' })).magic_link_url,
      )
      const signIn = await browser.submit(landing, /\/start$/)
      await t.moveClock(31 * MINUTE)
      const page = await consentAtSandbox(browser, signIn)
      assert.equal(page.status, 410)
      assert.match(page.title, /expired/i)
      assert.deepEqual(await linked(user.id), [])
      const [revocation] = await t.query('select reason from revocations where registered_user_id = $1', [
        user.id,
      ])
      assert.equal(revocation.reason, 'session_over')
    })

    it('two attempts of one link: the first to return completes it, the other stores nothing [token.used-once]', async () => {
      const user = await t.createUser()
      const { magic_link_url } = await t.mint(user.id, { Connector: 'sandbox-notes' })
      const [first, second] = [createBrowserUser(), createBrowserUser()]
      const firstSignIn = await first.submit(await first.open(magic_link_url), /\/start$/)
      const secondSignIn = await second.submit(await second.open(magic_link_url), /\/start$/)
      assert.equal((await consentAtSandbox(first, firstSignIn)).status, 200)
      assert.equal((await consentAtSandbox(second, secondSignIn, { account: 'ben' })).status, 410)
      const [row] = await t.query('select account from credentials where registered_user_id = $1', [user.id])
      assert.equal(row.account, 'ana@example.com')
    })

    it('an API key entered in Link is tested at the provider and stored [auth.api-key]', async () => {
      const user = await t.createUser()
      const browser = createBrowserUser()
      const form = await browser.open((await t.mint(user.id, { Connector: 'sandbox-vault' })).magic_link_url)
      const refused = await browser.submit(form, /\/api-key$/, { api_key: 'sv_live_wrong' })
      assert.equal(refused.status, 422)
      assert.doesNotMatch(refused.html, /sv_live_wrong/)
      assert.deepEqual(await linked(user.id), [])
      const done = await browser.submit(refused, /\/api-key$/, { api_key: ` ${t.sandbox.vaultKeys.ana} ` })
      assert.equal(done.status, 200)
      assert.match(done.html, /ana@example\.com/)
      assert.deepEqual(await linked(user.id), ['sandbox-vault'])
    })

    it('a custom scheme gets a page that redirects the browser, with a button [page.custom-scheme]', async () => {
      const user = await t.createUser()
      const { magic_link_url } = await t.mint(user.id, { callback_url: 'myapp:///linked', state: 'x' })
      const page = await linkNotes(createBrowserUser(), magic_link_url)
      assert.equal(page.status, 200)
      assert.match(
        page.html,
        /<meta http-equiv="refresh" content="0;\s*url=myapp:\/\/\/linked\?status=success&amp;code=cb_code_\w+&amp;state=x"/,
      )
      assert.match(page.html, /<a [^>]*href="myapp:\/\/\/linked\?status=success/)
    })

    it('a callback_url with state, code or status of its own is rejected [callback.no-own-state]', async () => {
      const user = await t.createUser()
      for (const query of ['state=1', 'a=1&%73tate=1', 'code=', 'STATUS=x']) {
        const answer = await t.call('POST', `/api/registered-users/${user.id}/link-token`, {
          body: { callback_url: `https://app.example.com/cb?${query}` },
        })
        assert.equal(answer.status, 400, query)
        assert.equal(answer.body.error.code, 'reserved_callback_parameter', query)
      }
    })
  })
}

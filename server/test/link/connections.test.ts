import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { HOUR, MINUTE } from '../../src/core/duration.ts'
import { hashToken, parseToken } from '../../src/core/token.ts'
import { newUuid } from '../../src/core/uuid.ts'
import { retentionSteps } from '../../src/retention.ts'
import {
  type BrowserUser,
  consentAtSandbox,
  createBrowserUser,
  linkNotes,
  type Page,
  readForms,
} from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

for (const engine of flowEngines) {
  describe(`My connections on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
    })
    after(() => t.stop())

    const linkVault = async (userId: string) => {
      const browser = createBrowserUser()
      const form = await browser.open((await t.mint(userId, { connector: 'sandbox-vault' })).magic_link_url)
      return browser.submit(form, /\/api-key$/, { api_key: t.sandbox.vaultKeys.ana })
    }
    const linkedUser = async () => {
      const { id } = await t.createUser()
      await linkNotes(createBrowserUser(), (await t.mint(id, { connector: 'sandbox-notes' })).magic_link_url)
      return id
    }
    const mint = async (userId: string, key = t.organization.key) =>
      t.call('POST', `/api/v1/registered-users/${userId}/connections-link`, { key })
    const credentials = async (userId: string) =>
      (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data
    const callNotes = async (userId: string) =>
      (await t.mcp(userId, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} })).body.result
    /** Opens the link as a person does: the page, then its button. */
    const openList = async (browser: BrowserUser, url: string): Promise<Page> =>
      browser.submit(await browser.open(url), /\/open$/)
    const openNotes = async (userId: string) => {
      const browser = createBrowserUser()
      const list = await openList(browser, (await mint(userId)).body.url)
      const [credential] = await credentials(userId)
      const detail = await browser.follow(list, new RegExp(credential.credential_id))
      return { browser, list, detail, credential }
    }
    const send = (page: Page, address: RegExp, headers: Record<string, string>, more = {}) => {
      const form = readForms(page).find(({ action }) => address.test(action))
      assert.ok(form, `no form ${address} at ${page.url}`)
      return fetch(form.action, {
        method: 'POST',
        redirect: 'manual',
        headers: { 'content-type': 'application/x-www-form-urlencoded', accept: 'text/html', ...headers },
        body: new URLSearchParams({ ...form.fields, ...more }).toString(),
      })
    }
    const cookieOf = (browser: BrowserUser) =>
      [...(browser.cookies.get(new URL(t.baseUrl).host) ?? [])]
        .map(([name, value]) => `${name}=${value}`)
        .join('; ')

    const APPLICATION = 'https://app.example.com'
    const trade = (url: string, origin: string | null = APPLICATION) =>
      t.call('POST', `${url}/frame`, { key: null, headers: origin === null ? {} : { origin } })

    it('frame: an allowed origin gets its address, and only that address may be framed', async () => {
      await t.allowOrigin(APPLICATION)
      const userId = await linkedUser()
      const { url } = (await mint(userId)).body
      const traded = await trade(url)
      assert.deepEqual([traded.status, traded.body.status], [200, 'open'])
      assert.equal(traded.headers.get('access-control-allow-origin'), APPLICATION)
      assert.deepEqual((await trade(url)).body, traded.body, 'the request can be repeated')
      const get = (address: string) => t.call('GET', address, { key: null, headers: { accept: 'text/html' } })
      const framed = await get(`${traded.body.url}&opener=${encodeURIComponent(APPLICATION)}&nonce=12345678`)
      assert.equal(framed.status, 200)
      assert.match(framed.text, /Notes/)
      assert.match(
        framed.headers.get('content-security-policy') ?? '',
        /frame-ancestors https:\/\/app\.example\.com;/,
      )
      assert.equal(framed.headers.get('set-cookie'), null)
      const [address] = traded.body.url.split('?')
      const plain = await get(address)
      assert.equal(plain.status, 403, 'without the key, the link belongs to another browser')
      assert.match(plain.headers.get('content-security-policy') ?? '', /frame-ancestors 'none'/)
      assert.equal((await get(`${address}?frame=${'x'.repeat(22)}`)).status, 403)
      const foreign = await get(`${traded.body.url}&opener=${encodeURIComponent('https://evil.example')}`)
      assert.equal(foreign.status, 400)
    })

    it('lists accounts that others share with the user, without their owners and without a way to change them', async () => {
      const { key } = await t.createOrganization('Sharing')
      const call = (method: string, path: string, body?: object) =>
        t.call(method, `/api/v1/registered-users${path}`, { key, ...(body && { body }) })
      const owner = await t.createUser({ origin_user_name: 'Owner Of The Account' }, key)
      const { magic_link_url: link } = await t.mint(owner.id, { connector: 'sandbox-notes' }, key)
      await linkNotes(createBrowserUser(), link, { account: 'ben' })
      const [shared] = (await call('GET', `/${owner.id}/credentials`)).body.data
      const { id } = await t.createUser({}, key)
      const open = async (browser = createBrowserUser()) => openList(browser, (await mint(id, key)).body.url)
      assert.doesNotMatch((await open()).html, /Shared with you/)
      for (const access of [{ registered_user_ids: [id] }, { everyone: true }]) {
        await call('PUT', `/${owner.id}/credentials/${shared.credential_id}/access`, access)
        const { html } = await open()
        assert.match(html, /No connections yet.*Shared with you.*Notes.*ben@example\.com/s)
        assert.doesNotMatch(html, /Owner Of The Account/)
        assert.ok(!html.includes(shared.credential_id), 'there is no address to change it')
      }
      const browser = createBrowserUser()
      const list = await open(browser)
      const foreign = await browser.open(`${list.url.split('?')[0]}/${shared.credential_id}`)
      assert.match(foreign.html, /No connections yet/)
      await call('PATCH', `/${owner.id}`, { is_active: false })
      assert.doesNotMatch((await open()).html, /Shared with you/)
    })

    it('frame: forms are accepted from the frame only', async () => {
      await t.allowOrigin(APPLICATION)
      const userId = await linkedUser()
      const { url } = (await trade((await mint(userId)).body.url)).body
      const [credential] = await credentials(userId)
      const [address, query] = url.split('?')
      const response = await fetch(`${address}/${credential.credential_id}?${query}`)
      const page = { url: response.url, html: await response.text() } as unknown as Page
      const form = readForms(page).find(({ action }) => action.endsWith('/pause'))
      assert.ok(form)
      const post = (headers: Record<string, string>, fields = form.fields) =>
        fetch(form.action, {
          method: 'POST',
          redirect: 'manual',
          headers: { 'content-type': 'application/x-www-form-urlencoded', ...headers },
          body: new URLSearchParams(fields).toString(),
        })
      const own = { origin: new URL(t.baseUrl).origin }
      for (const headers of [{}, { origin: APPLICATION }, { origin: 'null' }] as Record<string, string>[])
        assert.equal((await post(headers)).status, 403)
      assert.equal((await post(own, { ...form.fields, page_token: 'x' })).status, 403)
      assert.equal(
        (await post(own, { ...form.fields, view: '' })).status,
        403,
        'without the key of the frame',
      )
      assert.equal((await credentials(userId))[0].paused_until, null)
      assert.equal((await post(own)).status, 303)
      assert.notEqual((await credentials(userId))[0].paused_until, null)
    })

    it('frame: is refused to other origins, for used, unknown and expired links', async () => {
      await t.allowOrigin(APPLICATION)
      const userId = await linkedUser()
      const { url } = (await mint(userId)).body
      for (const origin of ['https://evil.example', 'null', null])
        assert.equal((await trade(url, origin)).body.error.code, 'unauthorized_origin')
      await openList(createBrowserUser(), url)
      assert.equal((await trade(url)).body.error.code, 'connections_link_used')
      assert.equal((await trade(`${url.slice(0, -1)}_`)).body.error.code, 'invalid_link_token')
      const fresh = (await mint(userId)).body.url
      await t.moveClock(31 * MINUTE)
      assert.equal((await trade(fresh)).body.status, 'expired')
      await t.moveClock(-31 * MINUTE)
    })

    it('link: is minted for 30 minutes, and only its hash is stored', async () => {
      const userId = (await t.createUser()).id
      const { status, body } = await mint(userId)
      assert.equal(status, 201)
      assert.deepEqual(Object.keys(body).toSorted(), ['expires_at', 'url'])
      assert.match(body.url, new RegExp(`^${t.baseUrl}/link/connections/cb_con_[0-9A-Za-z]{53}$`))
      const token = parseToken('connectionsLink', body.url.split('/').at(-1))
      assert.ok(token)
      const [row] = await t.query(
        `select secret_hash, round(extract(epoch from expires_at - minted_at))::integer as seconds from connections_links
         where registered_user_id = $1`,
        [userId],
      )
      assert.deepEqual([Buffer.from(row.secret_hash), row.seconds], [hashToken(token), 1800])
      assert.ok(!t.logLines.some(line => line.includes(token)))
    })

    it('link: is not minted for unknown, inactive or other users', async () => {
      assert.equal((await mint(newUuid())).body.error.code, 'registered_user_not_found')
      assert.equal((await mint('x')).body.error.code, 'registered_user_not_found')
      const { id } = await t.createUser()
      assert.equal((await mint(id, t.organization.testKey)).body.error.code, 'registered_user_not_found')
      const other = await t.createOrganization('Other')
      assert.equal((await mint(id, other.key)).body.error.code, 'registered_user_not_found')
      await t.call('PATCH', `/api/v1/registered-users/${id}`, { body: { is_active: false } })
      assert.equal((await mint(id)).body.error.code, 'user_inactive')
    })

    it('link: GET requests show no connection and change nothing, and the token leaves the address', async () => {
      const userId = await linkedUser()
      const { url } = (await mint(userId)).body
      const pages = await Promise.all(Array.from({ length: 3 }, () => createBrowserUser().open(url)))
      for (const page of pages) {
        assert.equal(page.status, 200)
        assert.doesNotMatch(page.url, /cb_con_/)
        assert.doesNotMatch(page.html, /ana@example\.com|sandbox-notes|cb_con_/)
      }
      const head = await fetch(url, { method: 'HEAD' })
      assert.equal(head.status, 200)
      const [row] = await t.query(
        'select browser_hash from connections_links where registered_user_id = $1',
        [userId],
      )
      assert.equal(row.browser_hash, null)
    })

    it('page: lists the accounts, and shows calls by title and time without contents', async () => {
      const userId = await linkedUser()
      await linkVault(userId)
      await t.mcp(userId, 'tools/call', {
        name: 'sandbox-notes__create_note',
        arguments: { title: 'Secret plan', text: 'Secret text' },
      })
      await callNotes(userId)
      const { list, detail, browser } = await openNotes(userId)
      assert.match(list.html, /Notes[\s\S]*ana@example\.com[\s\S]*Vault[\s\S]*ana@example\.com/)
      assert.match(detail.html, /<h1>(<bdi>)?Notes/)
      assert.match(detail.html, /Recent activity[\s\S]*List notes[\s\S]*Create a note/i)
      assert.doesNotMatch(detail.html, /Secret/)
      const policy = detail.headers.get('content-security-policy') ?? ''
      assert.match(policy, /default-src 'none'.*frame-ancestors 'none'/)
      assert.equal(detail.headers.get('x-frame-options'), 'DENY')
      assert.equal(detail.headers.get('referrer-policy'), 'strict-origin')
      assert.equal(detail.headers.get('cache-control'), 'no-store')
      const german = await browser.open(`${detail.url}?lang=de`)
      assert.match(german.html, /Letzte Aktivitäten/)
    })

    it('page: without connections says so', async () => {
      const { id } = await t.createUser()
      const list = await openList(createBrowserUser(), (await mint(id)).body.url)
      assert.match(list.html, /No connections yet/)
    })

    it('pause: makes calls answer connection_paused until the user resumes', async () => {
      const userId = await linkedUser()
      const { browser, detail } = await openNotes(userId)
      const paused = await browser.submit(detail, /\/pause$/)
      assert.match(paused.html, /Paused until/)
      const { code, resumes_at } = (await callNotes(userId)).structuredContent.error
      assert.equal(code, 'connection_paused')
      assert.equal(resumes_at, (await credentials(userId))[0].paused_until)
      const resumed = await browser.submit(paused, /\/resume$/)
      assert.doesNotMatch(resumed.html, /Paused until/)
      assert.equal((await callNotes(userId)).isError, false)
      const types = (await t.events(userId)).map(({ type }) => type)
      assert.deepEqual(types.slice(-2), ['credential.paused', 'credential.resumed'])
    })

    it('reconnect: shows the consent of Link, replaces the credential and leads back', async () => {
      const userId = await linkedUser()
      const { browser, detail, credential } = await openNotes(userId)
      await browser.submit(detail, /\/pause$/)
      const consent = await browser.submit(detail, /\/reconnect$/)
      assert.match(consent.url, /\/connect\//)
      assert.match(consent.html, /Already connected as/)
      const question = await consentAtSandbox(browser, await browser.submit(consent, /\/start$/), {
        account: 'ben',
      })
      assert.match(question.title, /Replace or add/)
      const done = await browser.submit(question, /\/account$/, { account: credential.credential_id })
      assert.match(done.title, /Notes is connected/)
      assert.match(done.html, /Back to your connections/)
      const list = await browser.follow(done, /\/link\/connections\//)
      assert.match(list.html, /ben@example\.com/)
      const [replaced] = await credentials(userId)
      assert.deepEqual(
        [replaced.credential_id, replaced.account, replaced.paused_until],
        [credential.credential_id, 'ben@example.com', null],
      )
    })

    it('several accounts: shows their labels and calls, renames one, and rejects a label that is taken', async () => {
      const userId = await linkedUser()
      const only = await openNotes(userId)
      assert.doesNotMatch(only.detail.html, /name="label"/)
      const added = await only.browser.submit(only.detail, /\/add$/)
      const done = await consentAtSandbox(only.browser, await only.browser.submit(added, /\/start$/), {
        account: 'ben',
      })
      assert.match(done.title, /Notes is connected/)
      const args = { carabiner_account: 'ben@example.com' }
      await t.mcp(userId, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: args })
      const { browser, list, detail, credential } = await openNotes(userId)
      assert.equal(credential.account, 'ana@example.com')
      assert.match(list.html, /ana@example\.com[\s\S]*ben@example\.com/)
      assert.doesNotMatch(detail.html, /List notes/)
      const rejected = await browser.submit(detail, /\/rename$/, { label: 'ben@example.com' })
      assert.deepEqual([rejected.status, /role="alert"/.test(rejected.html)], [422, true])
      for (const label of ['', 'x'.repeat(101), credential.credential_id])
        assert.equal((await browser.submit(detail, /\/rename$/, { label })).status, 422)
      const renamed = await browser.submit(rejected, /\/rename$/, { label: 'Work' })
      assert.match(renamed.html, /<bdi>Work<\/bdi>/)
      assert.match((await browser.open(list.url)).html, /<bdi>Work<\/bdi> · <bdi>ana@example\.com<\/bdi>/)
      const labels = (await credentials(userId)).map(({ label }: { label: string }) => label)
      assert.deepEqual(labels, ['Work', 'ben@example.com'])
    })

    it('reconnect: a cancelled link leads back, and a forged return address is ignored', async () => {
      const userId = await linkedUser()
      const { browser, detail } = await openNotes(userId)
      const consent = await browser.submit(detail, /\/reconnect$/)
      const cancelled = await browser.submit(consent, /\/cancel$/)
      assert.match(cancelled.html, /Back to your connections/)
      const forged = new URL(cancelled.url)
      const handle = forged.searchParams.get('connections') as string
      forged.searchParams.set('connections', `${handle.slice(0, -1)}${handle.endsWith('A') ? 'B' : 'A'}`)
      assert.doesNotMatch((await browser.open(forged.href)).html, /Back to your connections/)
    })

    it('reconnect: is not offered if the connector is in no Tool Pack, or links need a code', async () => {
      const other = await t.createOrganization('Strict')
      const { id } = await t.createUser({}, other.key)
      const link = await t.mint(id, { connector: 'sandbox-notes' }, other.key)
      await linkNotes(createBrowserUser(), link.magic_link_url)
      const browser = createBrowserUser()
      const list = await openList(browser, (await mint(id, other.key)).body.url)
      const detail = await browser.follow(list, /connections\/[^/]+\/[0-9a-f-]{36}/)
      const pack = `/api/v1/tool-packs/${other.toolPackId}`
      const body = { connectors: [{ slug: 'sandbox-vault' }] }
      assert.equal((await t.call('PATCH', pack, { key: other.key, body })).status, 200)
      assert.equal((await browser.submit(detail, /\/reconnect$/)).status, 410)
      assert.doesNotMatch((await browser.open(detail.url)).html, /\/reconnect"/)
      await t.call('PATCH', pack, { key: other.key, body: { connectors: null } })
      assert.match((await browser.open(detail.url)).html, /\/reconnect"/)
      await t.call('PATCH', '/api/v1/organization', { key: other.key, body: { link_binding: 'code_only' } })
      assert.doesNotMatch((await browser.open(detail.url)).html, /\/reconnect"/)
      assert.equal((await browser.submit(detail, /\/reconnect$/)).status, 410)
    })

    it('disconnect: asks first, then shows the receipt of the provider', async () => {
      const userId = await linkedUser()
      const { browser, detail } = await openNotes(userId)
      const confirm = await browser.follow(detail, /\/disconnect$/)
      assert.match(confirm.title, /Disconnect Notes\?/)
      assert.equal((await credentials(userId))[0].status, 'active')
      const done = await browser.submit(confirm, /\/disconnect$/)
      assert.match(done.title, /Notes is disconnected/)
      assert.equal((await credentials(userId))[0].status_reason, 'disconnected_by_user')
      assert.equal((await callNotes(userId)).structuredContent.type, 'authenticate_meta')
      await eventually(async () => {
        assert.match((await browser.open(done.url)).html, /confirmed that access was revoked/)
      })
      const again = await browser.submit(confirm, /\/disconnect$/)
      assert.match(again.title, /Notes is disconnected/)
      assert.equal((await t.events(userId)).filter(({ type }) => type === 'credential.revoked').length, 1)
      for (const address of [/\/pause$/, /\/reconnect$/])
        assert.match((await browser.submit(detail, address)).title, /Notes is disconnected/)
      const [ended] = await credentials(userId)
      assert.deepEqual([ended.status, ended.paused_until], ['revoked', null])
      assert.match((await browser.open(detail.url)).title, /Notes is disconnected/)
      assert.match((await browser.follow(done, /connections\/[^/]+$/)).html, /No connections yet/)
    })

    it('disconnect: says that an API key must be deleted at the provider', async () => {
      const { id } = await t.createUser()
      await linkVault(id)
      const browser = createBrowserUser()
      const list = await openList(browser, (await mint(id)).body.url)
      const detail = await browser.follow(list, /connections\/[^/]+\/[0-9a-f-]{36}/)
      const done = await browser.submit(await browser.follow(detail, /\/disconnect$/), /\/disconnect$/)
      await eventually(async () => {
        assert.match((await browser.open(done.url)).html, /doesn’t let us revoke access/)
      })
    })

    it('another browser is rejected after the first has opened the link', async () => {
      const userId = await linkedUser()
      const { url } = (await mint(userId)).body
      const first = createBrowserUser()
      const second = createBrowserUser()
      const entry = await second.open(url)
      const list = await openList(first, url)
      assert.match(list.html, /ana@example\.com/)
      for (const page of [
        await second.open(url),
        await second.submit(entry, /\/open$/),
        await second.open(list.url),
        await createBrowserUser().open(list.url),
      ]) {
        assert.equal(page.status, 403)
        assert.match(page.title, /opened in another browser/)
        assert.doesNotMatch(page.html, /ana@example\.com/)
      }
      const detail = await first.follow(list, /connections\/[^/]+\/[0-9a-f-]{36}/)
      const stolen = await send(detail, /\/pause$/, { cookie: cookieOf(second) })
      assert.equal(stolen.status, 403)
      assert.equal((await send(detail, /\/pause$/, {})).status, 403)
      assert.equal((await credentials(userId))[0].paused_until, null)
      assert.equal((await first.open(list.url)).status, 200)
    })

    it('two browsers at once: exactly one opens the link', async () => {
      const userId = await linkedUser()
      const { url } = (await mint(userId)).body
      const browsers = Array.from({ length: 5 }, () => createBrowserUser())
      const entries = await Promise.all(browsers.map(browser => browser.open(url)))
      const opened = await Promise.all(
        browsers.map((browser, i) => browser.submit(entries[i] as Page, /\/open$/)),
      )
      assert.equal(opened.filter(({ status }) => status === 200).length, 1)
      assert.equal(opened.filter(({ status }) => status === 403).length, 4)
    })

    it('forms from other pages are rejected: foreign origin, cross-site, and a token of another link', async () => {
      const userId = await linkedUser()
      const { browser, detail } = await openNotes(userId)
      const cookie = cookieOf(browser)
      for (const headers of [
        { cookie, origin: 'https://evil.example' },
        { cookie, origin: 'null' },
        { cookie, 'sec-fetch-site': 'cross-site' },
      ])
        assert.equal((await send(detail, /\/pause$/, headers)).status, 403)
      for (const form_token of ['', 'x', 'A'.repeat(64)])
        assert.equal((await send(detail, /\/pause$/, { cookie }, { form_token })).status, 403)
      const other = await browser.open((await mint(userId)).body.url)
      const [foreign] = readForms(other)
      const form_token = foreign?.fields.form_token as string
      assert.equal((await send(detail, /\/pause$/, { cookie }, { form_token })).status, 403)
      assert.equal((await credentials(userId))[0].paused_until, null)
      const own = await send(detail, /\/pause$/, { cookie, origin: new URL(t.baseUrl).origin })
      assert.equal(own.status, 303)
      assert.notEqual((await credentials(userId))[0].paused_until, null)
    })

    it('a credential of another user, or an invalid ID, leads to the list and is not changed', async () => {
      const [userId, victimId] = [await linkedUser(), await linkedUser()]
      const { browser, list, detail, credential } = await openNotes(userId)
      const [victim] = await credentials(victimId)
      const swap = (page: Page, id: string): Page => ({
        ...page,
        html: page.html.replaceAll(credential.credential_id, id),
      })
      const confirm = await browser.follow(detail, /\/disconnect$/)
      for (const id of [victim.credential_id, newUuid(), 'x', '%0d%0aset-cookie:a=b', '..%2f..']) {
        assert.equal((await browser.open(`${list.url}/${id}`)).url, list.url, id)
        for (const [page, address] of [
          [detail, /\/pause$/],
          [detail, /\/reconnect$/],
          [confirm, /\/disconnect$/],
        ] as const) {
          const answer = await browser.submit(swap(page, id), address)
          assert.match(answer.title, /Your connections/, `${address} ${id}`)
        }
      }
      const [unchanged] = await credentials(victimId)
      assert.deepEqual(unchanged, victim)
    })

    it('expired link: a designed page, for the bound browser too', async () => {
      const userId = await linkedUser()
      const { browser, list, detail } = await openNotes(userId)
      await t.moveClock(31 * MINUTE)
      for (const page of [await browser.open(list.url), await browser.submit(detail, /\/pause$/)]) {
        assert.equal(page.status, 410)
        assert.match(page.title, /This link has expired/)
      }
      assert.equal((await credentials(userId))[0].paused_until, null)
    })

    it('deactivated user: a designed page, and reactivation does not restore the link', async () => {
      const userId = await linkedUser()
      const { browser, list, detail } = await openNotes(userId)
      const path = `/api/v1/registered-users/${userId}`
      await t.call('PATCH', path, { body: { is_active: false } })
      for (const page of [await browser.open(list.url), await browser.submit(detail, /\/pause$/)]) {
        assert.equal(page.status, 403)
        assert.match(page.html, /is not active/)
      }
      await t.moveClock(1000)
      await t.call('PATCH', path, { body: { is_active: true } })
      assert.equal((await browser.open(list.url)).status, 410)
    })

    it('deleted user: the link is unknown', async () => {
      const userId = await linkedUser()
      const { browser, list } = await openNotes(userId)
      const { url } = (await mint(userId)).body
      await t.call('DELETE', `/api/v1/registered-users/${userId}`)
      for (const address of [url, list.url]) {
        const page = await browser.open(address)
        assert.deepEqual([page.status, page.title], [404, 'This link does not work'])
      }
    })

    it('moved organization: designed pages while it moves and afterwards', async () => {
      const other = await t.createOrganization('Movers')
      const { id } = await t.createUser({}, other.key)
      const { url } = (await mint(id, other.key)).body
      const browser = createBrowserUser()
      const list = await openList(browser, url)
      const states: [state: string, status: number][] = [
        ['leaving', 503],
        ['arriving', 503],
        ['moved', 421],
        ['deleting', 404],
      ]
      for (const [state, status] of states) {
        await t.query('update organizations set state = $1 where id = $2', [state, other.id])
        for (const address of [url, list.url])
          assert.equal((await browser.open(address)).status, status, `${state} ${address}`)
      }
      await t.query(`update organizations set state = 'active' where id = $1`, [other.id])
    })

    it('malformed links: a designed 404, and never an error', async () => {
      for (const text of [
        'x',
        'cb_con_',
        `cb_con_${'a'.repeat(53)}`,
        `k3Xa${'a'.repeat(64)}`,
        '%00',
        '%ff',
      ]) {
        const page = await createBrowserUser().open(`${t.baseUrl}/link/connections/${text}`)
        assert.ok([400, 404].includes(page.status), `${text}: ${page.status}`)
        const posted = await fetch(`${t.baseUrl}/link/connections/${text}/open`, { method: 'POST' })
        assert.ok([400, 404].includes(posted.status), `POST ${text}: ${posted.status}`)
      }
    })

    it('a handle of a Link session does not open the page, nor the other way round', async () => {
      const userId = await linkedUser()
      const { list } = await openNotes(userId)
      const session = await createBrowserUser().open((await t.mint(userId)).magic_link_url)
      const handle = new URL(session.url).pathname.split('/').at(-1)
      const own = new URL(list.url).pathname.split('/').at(-1)
      assert.equal((await createBrowserUser().open(`${t.baseUrl}/link/connections/${handle}`)).status, 404)
      assert.equal((await createBrowserUser().open(`${t.baseUrl}/connect/${own}`)).status, 404)
    })

    it('concurrent pauses and a disconnect: the credential ends revoked and not paused', async () => {
      const userId = await linkedUser()
      const { browser, detail } = await openNotes(userId)
      const confirm = await browser.follow(detail, /\/disconnect$/)
      const pages = await Promise.all([
        ...Array.from({ length: 4 }, () => browser.submit(detail, /\/pause$/)),
        browser.submit(confirm, /\/disconnect$/),
        browser.submit(confirm, /\/disconnect$/),
      ])
      for (const { status } of pages) assert.equal(status, 200)
      const [{ status, paused_until }] = await credentials(userId)
      assert.deepEqual([status, paused_until], ['revoked', null])
    })

    it('old links are deleted after 30 days', async () => {
      const { id } = await t.createUser()
      await mint(id)
      const step = retentionSteps(t.service.features).find(({ name }) => name === 'connections links')
      const count = async () =>
        (await t.query('select id from connections_links where registered_user_id = $1', [id])).length
      await step?.run()
      assert.equal(await count(), 1)
      await t.moveClock(31 * 24 * HOUR)
      await step?.run()
      assert.equal(await count(), 0)
    })
  })
}

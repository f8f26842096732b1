import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { MINUTE } from '../../src/core/duration.ts'
import {
  type BrowserUser,
  createBrowserUser,
  linkNotes,
  type Page,
  readForms,
} from '../support/browser-user.ts'
import { joinTestService, startTestService, type TestService } from '../support/test-service.ts'

const APP = 'https://app.example.com'
const plainText = (page: Page): string =>
  page.html.replace(/<(script|style)>[^]*?<\/\1>/g, '').replace(/<[^>]*>/g, '')
const offersAnother = (page: Page): boolean =>
  readForms(page).some(({ action }) => action.endsWith('/another'))

describe('several connections from one link', () => {
  let t: TestService
  before(async () => {
    t = await joinTestService()
    await t.allowOrigin(APP)
  })
  after(() => t.stop())

  const start = async (body = {}) => {
    const { id: userId } = await t.createUser()
    const { magic_link_url: link } = await t.mint(userId, body)
    const browser = createBrowserUser()
    return { userId, link, browser, done: await linkNotes(browser, link) }
  }
  const linked = async (userId: string): Promise<string[]> =>
    (await t.call('GET', `/api/v1/registered-users/${userId}`)).body.linked_connectors
  const sessionsOf = (userId: string) =>
    t.query('select * from link_sessions where registered_user_id = $1 order by minted_at', [userId])
  const connectVault = async (browser: BrowserUser, picker: Page): Promise<Page> => {
    const form = await browser.follow(picker, /connector=sandbox-vault/)
    return browser.submit(form, /\/api-key$/, { api_key: t.sandbox.vaultKeys.ana })
  }

  it('the completion page starts a successor for the same user, pack, mode and deadline', async () => {
    const { userId, browser, done } = await start()
    assert.equal(done.title, 'Notes is connected')
    const picker = await browser.submit(done, /\/another$/)
    assert.equal(picker.title, 'What would you like to connect?')
    assert.match(picker.html, /<bdi>Notes<\/bdi>.*<em>Connected<\/em>/)
    const [first, second] = await sessionsOf(userId)
    assert.equal(second.successor_of, first.id)
    for (const column of ['registered_user_id', 'tool_pack_id', 'mode'])
      assert.equal(second[column], first[column], column)
    assert.deepEqual(second.expires_at, first.expires_at)
    const again = await connectVault(browser, picker)
    assert.equal(again.title, 'Vault is connected')
    assert.deepEqual((await linked(userId)).toSorted(), ['sandbox-notes', 'sandbox-vault'])
    assert.ok(!offersAnother(again), 'nothing is left to connect')
  })

  it('a session has one successor, even for repeated and concurrent requests', async () => {
    const { userId, browser, done } = await start()
    const pages = await Promise.all(Array.from({ length: 8 }, () => browser.submit(done, /\/another$/)))
    assert.equal(new Set(pages.map(({ url }) => url)).size, 1)
    assert.equal((await sessionsOf(userId)).length, 2)
  })

  it('another browser with the same URLs cannot start one', async () => {
    const { userId, browser, link, done } = await start()
    const { action, fields } = readForms(done).find(form => form.action.endsWith('/another')) as never as {
      action: string
      fields: Record<string, string>
    }
    const otherBrowser = createBrowserUser()
    await otherBrowser.open(link)
    const forged = { ...done, html: `<form action="${action}"></form>` }
    assert.equal((await otherBrowser.submit(forged, /another/, fields)).status, 403)
    assert.equal((await sessionsOf(userId)).length, 1)
    const reopened = await browser.open(link)
    assert.equal(reopened.status, 410)
    assert.ok(!offersAnother(reopened), 'a reopened link offers no successor')
  })

  const never: [why: string, body: object][] = [
    ['the link was locked to a connector', { Connector: 'sandbox-notes' }],
    ['the user was redirected', { callback_url: `${APP}/cb` }],
    ['the link is in code mode', { callback_url: `${APP}/cb`, state: 's' }],
  ]
  for (const [why, body] of never)
    it(`no successor is offered if ${why}`, async () => {
      const { userId, done } = await start(body)
      assert.ok(!offersAnother(done))
      assert.equal((await sessionsOf(userId)).length, 1)
    })

  const changes: [label: string, change: (userId: string) => Promise<unknown>, ending: [number, RegExp]][] = [
    [
      'the user is inactive',
      id => t.call('PATCH', `/api/v1/registered-users/${id}`, { body: { is_active: false } }),
      [403, /is paused/],
    ],
    ['the link has expired', () => t.moveClock(31 * MINUTE), [410, /has expired/]],
    [
      'only codes may store credentials',
      () => t.query(`update organizations set link_binding = 'code_only' where id = $1`, [t.organization.id]),
      [410, /no longer valid/],
    ],
  ]
  for (const [label, change, [status, title]] of changes)
    it(`no successor is started if ${label} meanwhile`, async () => {
      const { userId, browser, done } = await start()
      assert.ok(offersAnother(done))
      await change(userId)
      const page = await browser.submit(done, /\/another$/)
      assert.equal(page.status, status)
      assert.match(page.title, title)
      assert.equal((await sessionsOf(userId)).length, 1)
      await t.query(`update organizations set link_binding = 'interstitial' where id = $1`, [
        t.organization.id,
      ])
    })
})

describe('texts of the pages', () => {
  let t: TestService
  before(async () => {
    t = await startTestService('postgres', {
      CONNECTORS:
        'sandbox-notes,sandbox-vault,jira,jira-api-token,notion,notion-mcp,trello,gmail,github,outlook,datadog',
      OAUTH_OUTLOOK_CLIENT_ID: 'orbit',
      OAUTH_OUTLOOK_CLIENT_SECRET: 'not-used',
    })
  })
  after(() => t.stop())
  const open = async (body = {}, user = {}) => {
    const { id } = await t.createUser(user)
    const browser = createBrowserUser()
    return { browser, page: await browser.open((await t.mint(id, body)).magic_link_url) }
  }

  it('consent lists the actions of the tools, for OAuth, API key and MCP server', async () => {
    const oauth = plainText((await open({ Connector: 'sandbox-notes' })).page)
    assert.match(
      oauth,
      /The assistant will be able to\s*Read informationList notes\s*Create new itemsCreate a note/,
    )
    const key = plainText((await open({ Connector: 'jira-api-token' })).page)
    assert.match(key, /Read informationSearch issues · .*Create new items.*Change existing items/s)
    const server = plainText((await open({ Connector: 'notion-mcp' })).page)
    assert.match(server, /Use your Notion accountThis can include reading, creating, changing and deleting/)
  })

  it('consent lists only the tools of the Tool Pack', async () => {
    const { organization } = t
    const set = (choices: object) =>
      t.query('update tool_packs set choices = $1 where organization_id = $2', [
        JSON.stringify(choices),
        organization.id,
      ])
    await set({ 'sandbox-notes': { list_notes: {} } })
    const page = plainText((await open({ Connector: 'sandbox-notes' })).page)
    await set({})
    assert.match(page, /List notes/)
    assert.doesNotMatch(page, /Create a note/)
  })

  it('the picker shows one tile per product, under its common name', async () => {
    const { browser, page } = await open()
    const names = [...page.html.matchAll(/<\/i><bdi>([^<]*)<\/bdi>/g)].map(([, name]) => name)
    // Datadog has no tools, and Gmail has no OAuth app.
    assert.deepEqual(
      new Set(names),
      new Set(['GitHub', 'Jira', 'Notes', 'Notion', 'Outlook', 'Trello', 'Vault']),
    )
    assert.equal(names.length, 7)
    assert.equal(names[0], 'Notion', 'popular products first')
    assert.doesNotMatch(page.html.replace(/<script>[^]*?<\/script>/, ''), /MCP|\(API token\)/)
    const notion = await browser.follow(page, /connector=notion$/)
    const server = await browser.follow(notion, /connector=notion-mcp/)
    assert.equal(server.title, 'Connect Notion to Orbit')
    await browser.follow(server, /connector=notion$/)
  })

  it('the search works without JavaScript, and reports a query without results', async () => {
    const { browser, page } = await open()
    const search = async (query: string) => {
      const found = await browser.open(`${page.url.split('?')[0]}?q=${encodeURIComponent(query)}`)
      const shown = [
        ...found.html.matchAll(
          /<li data-category="[^"]*"(?: data-keywords="[^"]*")?( hidden)?>.*?<\/i><bdi>([^<]*)/g,
        ),
      ]
      return { found, names: shown.filter(([, hidden]) => !hidden).map(([, , name]) => name) }
    }
    assert.deepEqual((await search('git hub')).names, ['GitHub'])
    assert.equal((await search('email')).names[0], 'Outlook')
    const { found, names } = await search('goo')
    assert.deepEqual(names, [])
    assert.match(found.html, /No apps match “<bdi>goo<\/bdi>”\./)
    assert.match(found.html, /Don’t see your app\?/)
    const files = await browser.open(`${page.url.split('?')[0]}?category=productivity`)
    assert.match(
      files.html,
      /<li data-category="development productivity"[^>]*data-keywords="[^"]*"><a[^>]*><i[^>]*><img[^>]*><\/i><bdi>Jira/,
    )
  })

  it('a user without a name is shown by email address, or else by the application’s ID', async () => {
    const user = { origin_user_id: 'crm-4711', origin_user_name: '  ', email: 'ana@example.com' }
    assert.match((await open({}, user)).page.html, /For <bdi>ana@example.com<\/bdi>/)
    const nameless = { origin_user_id: 'crm-4712', origin_user_name: ' ' }
    assert.match((await open({}, nameless)).page.html, /For <bdi>crm-4712<\/bdi>/)
  })

  it('a malformed value is not sent to the provider, and its field is named', async () => {
    const { browser, page } = await open({ Connector: 'trello' })
    assert.match(page.html, /How to get it<\/summary><ol><li><bdi>Open trello/)
    const answer = await browser.submit(page, /\/api-key$/, { api_key: 'not-hex', token: 'abc' })
    assert.equal(answer.status, 422)
    assert.match(answer.html, /id="problem" role="alert">.*The marked field doesn’t look right/)
    assert.match(answer.html, /name="api_key"[^>]*aria-invalid="true"/)
    assert.doesNotMatch(answer.html, /name="token"[^>]*aria-invalid/)
    const checks = await t.query(`select key_checks from link_sessions where locked_connector = 'trello'`)
    assert.deepEqual(checks, [{ key_checks: 0 }], 'the provider was not called')
  })
})

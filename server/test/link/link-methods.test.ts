import assert from 'node:assert/strict'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, describe, it } from 'node:test'
import type { GrantView } from '@carabiner/sandbox'
import { MINUTE } from '../../src/core/duration.ts'
import { endOverdueSecrets } from '../../src/features/credentials/pending-secrets.ts'
import { revokeDueTokens } from '../../src/features/credentials/revoke-tokens.ts'
import { useOwnApp, writeAcmeConnectors } from '../support/acme-connectors.ts'
import { type BrowserUser, consentAtSandbox, createBrowserUser, type Page } from '../support/browser-user.ts'
import { eventually } from '../support/eventually.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const SLUG = 'acme-areas'
const TENANT = 'tenant.area'

/** The region determines the host. Only the first region has an API in the sandbox. */
const REGIONS = {
  slug: 'acme-regions',
  name: 'Regions',
  summary: 'Notes, by region',
  categories: ['productivity'],
  documentation_url: '{sandbox_url}/',
  credential_origins: ['{sandbox_url}'],
  tenant: [
    {
      name: 'region',
      label: 'Region',
      secret: false,
      choices: [
        { value: 'one', label: 'First region', sets: { area: 'vault' } },
        { value: 'two', label: 'Second region', sets: { area: 'nowhere' } },
      ],
    },
  ],
  authorization: [
    {
      type: 'api_key',
      fields: [{ name: 'api_key', label: 'API key', secret: true }],
      headers: { authorization: 'Bearer {api_key}' },
    },
  ],
  identity: { url: '{sandbox_url}/{tenant.area}/api/me', account: ['/account/email', '/email'] },
  tools: [],
}

const acme = writeAcmeConnectors()
let t: TestService
before(async () => {
  writeFileSync(join(acme.folder, 'acme-regions.json'), JSON.stringify(REGIONS))
  t = await startTestService('postgres', {
    CONNECTORS_DIRECTORY: acme.folder,
    CONNECTORS: 'sandbox-notes sandbox-vault gitlab gitlab-self-managed',
  })
})
after(async () => {
  await t.stop()
  acme.remove()
})

const stored = async (userId: string) =>
  (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data

describe('a connector with two methods and a host entered by the user', () => {
  const open = async () => {
    const user = await t.createUser()
    const browser = createBrowserUser()
    const page = await browser.open((await t.mint(user.id, { connector: SLUG })).magic_link_url)
    return { user, browser, page }
  }
  const methods = async () =>
    (await t.call('GET', '/api/v1/connectors')).body.data.find((one: any) => one.slug === SLUG).methods

  it('without an OAuth app: linked with a key, and the form has a field for the host and for each value', async () => {
    assert.deepEqual(await methods(), ['api_key'])
    const { user, browser, page } = await open()
    assert.match(page.html, new RegExp(`name="${TENANT}" type="text"`))
    assert.match(page.html, /name="email" type="text"/)
    assert.match(page.html, /name="api_key" type="password"/)
    assert.match(page.html, /\.areas\.example/)
    assert.doesNotMatch(page.html, /method=oauth2/)
    const done = await browser.submit(page, /\/api-key$/, {
      [TENANT]: 'vault',
      email: 'ana@example.com',
      api_key: t.sandbox.vaultKeys.ana,
    })
    assert.match(done.url, /\/done/)
    const [credential] = await stored(user.id)
    assert.deepEqual([credential.method, credential.account], ['api_key', 'ana@example.com'])
  })

  it('pages show connector texts in their language, and mark texts without a translation as English', async () => {
    const user = await t.createUser()
    const show = async (connector: string, language: string) => {
      const { magic_link_url } = await t.mint(user.id, { connector })
      return (await createBrowserUser().open(`${magic_link_url}?lang=${language}`)).html
    }
    const notes = await show('sandbox-notes', 'de')
    assert.match(notes, /<bdi>Notizen auflisten<\/bdi>/)
    assert.match(notes, /<bdi>Notiz erstellen<\/bdi>/)
    assert.doesNotMatch(notes, /lang="en" dir="ltr"/)
    const vault = await show('sandbox-vault', 'ar')
    assert.match(vault, /<label for="field-0">مفتاح API<\/label>/)
    assert.match(vault, /<li><bdi>نسخ المفتاح المعروض هناك\.<\/bdi>/)
    const areas = await show(SLUG, 'de')
    assert.match(areas, /<label for="field-0"><span lang="en" dir="ltr">Area<\/span><\/label>/)
    assert.match(areas, /<bdi lang="en" dir="ltr">The name in the address\.<\/bdi>/)
    assert.doesNotMatch(await show(SLUG, 'en'), /lang="en" dir="ltr">(?:Area|What)/)
  })

  it('accepts a complete URL as the host', async () => {
    const { user, browser, page } = await open()
    await browser.submit(page, /\/api-key$/, {
      [TENANT]: ' https://vault.areas.example/settings?x=1 ',
      email: 'ana@example.com',
      api_key: t.sandbox.vaultKeys.ana,
    })
    assert.equal((await stored(user.id)).length, 1)
  })

  it('rejects missing or malformed fields before any request, and refills all but the secret', async () => {
    const { user, browser, page } = await open()
    const requestsBefore = t.sandbox.ledger.length
    for (const [area, problem] of [
      ['', /Something is missing/],
      ['../admin', /doesn’t look like your/],
      ['evil.example/x', /doesn’t look like your/],
      ['a@b', /doesn’t look like your/],
      ['UPPER', /doesn’t look like your/],
      ['a\r\nx: y', /doesn’t look like your/],
    ] as const) {
      const answer = await browser.submit(page, /\/api-key$/, {
        [TENANT]: area,
        email: 'kept@example.com',
        api_key: 'sv_live_secret_of_mine',
      })
      assert.equal(answer.status, 422, area)
      assert.match(answer.html, problem)
      assert.match(answer.html, /value="kept@example\.com"/)
      assert.doesNotMatch(answer.html, /sv_live_secret_of_mine/)
    }
    const wrong = await browser.submit(page, /\/api-key$/, {
      [TENANT]: 'vault',
      email: 'ana@example.com',
      api_key: 'sv_live_nobody',
    })
    assert.match(wrong.html, /did not accept this key/)
    assert.equal(t.sandbox.ledger.length, requestsBefore + 1)
    assert.deepEqual(await stored(user.id), [])
  })

  it('with an OAuth app: linked by sign-in, with a link to the API key form and back', async () => {
    await useOwnApp(t, SLUG)
    assert.deepEqual(await methods(), ['oauth2', 'api_key'])

    const { user, browser, page } = await open()
    assert.match(page.html, new RegExp(`name="${TENANT}"`))
    const byKey = await browser.follow(page, /method=api_key/)
    assert.match(byKey.html, /name="api_key"/)
    const back = await browser.follow(byKey, /method=oauth2/)
    const rejected = await browser.submit(back, /\/start$/, { [TENANT]: 'no!' })
    assert.equal(rejected.status, 422)
    assert.match(rejected.html, /value="no!"/)
    const signIn = await browser.submit(rejected, /\/start$/, { [TENANT]: 'notes' })
    const done = await consentAtSandbox(browser, signIn, { account: 'ben' })
    assert.match(done.url, /\/done/)
    const [credential] = await stored(user.id)
    assert.deepEqual([credential.method, credential.account], ['oauth2', 'ben@example.com'])
  })

  it('connectors of one product that share a method are distinguished by name', async () => {
    const user = await t.createUser()
    const browser = createBrowserUser()
    const page = await browser.open((await t.mint(user.id, {})).magic_link_url)
    const hosted = await browser.follow(page, /connector=gitlab(&|$|")/)
    assert.match(hosted.html, />Use <bdi>GitLab \(self-managed\)<\/bdi> instead</)
    const selfManaged = await browser.follow(hosted, /connector=gitlab-self-managed/)
    assert.match(selfManaged.html, /name="tenant\.host" type="text"/)
    assert.match(selfManaged.html, />Use <bdi>GitLab\.com<\/bdi> instead</)
    const check = async (host: string) =>
      (await browser.submit(selfManaged, /\/api-key$/, { 'tenant.host': host, token: 'glpat-1' })).html
    for (const host of ['localhost', '127.0.0.1', 'gitlab.invalid:8443', 'gitlab.invalid@evil.invalid'])
      assert.match(await check(host), /doesn’t look like your/)
    assert.doesNotMatch(await check('https://gitlab.invalid/users/sign_in'), /doesn’t look like your/)
  })

  it('choices are radio buttons, and the chosen value determines the host', async () => {
    const user = await t.createUser()
    const browser = createBrowserUser()
    const page = await browser.open((await t.mint(user.id, { connector: 'acme-regions' })).magic_link_url)
    assert.match(page.html, /<input type="radio" name="tenant\.region" value="one" required>/)
    const values = { 'tenant.region': 'one', api_key: t.sandbox.vaultKeys.ana }
    const cases: [Record<string, string>, RegExp][] = [
      [
        { ...values, 'tenant.region': '' },
        /role="radiogroup" aria-describedby="problem" aria-invalid="true"/,
      ],
      [{ ...values, 'tenant.region': 'three' }, /role="radiogroup"[^>]* aria-invalid="true"/],
      [{ ...values, 'tenant.region': 'two' }, /value="two" required checked/],
    ]
    for (const [typed, shown] of cases) {
      const requestsBefore = t.sandbox.ledger.length
      const answer = await browser.submit(page, /\/api-key$/, typed)
      assert.equal(answer.status, 422)
      assert.match(answer.html, shown)
      if (typed['tenant.region'] !== 'two') assert.equal(t.sandbox.ledger.length, requestsBefore)
    }
    assert.match((await browser.submit(page, /\/api-key$/, values)).url, /\/done/)
    assert.equal((await stored(user.id))[0].account, 'ana@example.com')
  })
})

describe('an account with several sites', () => {
  const SITES = 'acme-sites'
  before(() => useOwnApp(t, SITES))

  const startAt = async (browser: BrowserUser, link: string, account: string): Promise<Page> => {
    const page = await browser.open(link)
    return consentAtSandbox(browser, await browser.submit(page, /\/start$/), { account })
  }
  const linkAs = async (account: 'ana' | 'ben', body: object = {}, userId?: string) => {
    const user = userId === undefined ? await t.createUser() : { id: userId }
    const browser = createBrowserUser()
    const { magic_link_url } = await t.mint(user.id, { connector: SITES, ...body })
    return { user, browser, link: magic_link_url, page: await startAt(browser, magic_link_url, account) }
  }
  const choose = (browser: BrowserUser, page: Page, site: string) => browser.submit(page, /\/site$/, { site })
  const siteOfCalls = async (userId: string) => {
    const { body } = await t.mcp(userId, 'tools/call', { name: `${SITES}__list_pages`, arguments: {} })
    return body.result.structuredContent.site
  }
  const activeGrants = async (): Promise<string[]> => {
    const { grants } = (await (await fetch(`${t.sandbox.url}/_control/grants`)).json()) as {
      grants: GrantView[]
    }
    return grants.filter(({ active }) => active).map(({ id }) => id)
  }
  const outcomes = (userId: string) =>
    t.query(
      `select a.outcome from link_attempts a join link_sessions s on s.organization_id = a.organization_id and s.id = a.session_id
       where s.registered_user_id = $1`,
      [userId],
    )
  const waiting = async (userId: string) =>
    (await t.query('select 1 from pending_secrets where registered_user_id = $1', [userId])).length

  it('the user chooses one, and calls go to the chosen site', async () => {
    const { user, browser, page } = await linkAs('ana')
    assert.match(page.title, /Choose a site/)
    assert.deepEqual(
      [...page.html.matchAll(/name="site" value="([^"]*)"/g)].map(match => match[1]),
      ['ruiz-studio', 'harbour-club', 'lisbon-2027'],
    )
    assert.match(page.html, /<bdi>harbour-club\.sites\.example<\/bdi>/)
    assert.deepEqual(await stored(user.id), [])
    const done = await choose(browser, page, 'harbour-club')
    assert.match(done.url, /\/done/)
    assert.match(done.title, /is connected/)
    const [credential] = await stored(user.id)
    assert.equal(credential.account, 'ana@example.com')
    assert.equal(await siteOfCalls(user.id), 'harbour-club')
    assert.equal(await waiting(user.id), 0)
  })

  it('an account with one site skips the choice', async () => {
    const { user, page } = await linkAs('ben')
    assert.match(page.url, /\/done/)
    assert.equal(await siteOfCalls(user.id), 'okafor-and-sons')
  })

  it('an account without a site fails with an explanation, and its grant is revoked', async () => {
    const grantsBefore = await activeGrants()
    t.sandbox.script({ target: 'sites', behavior: 'status', status: 200, body: [] })
    const { user, page } = await linkAs('ana')
    assert.match(page.url, /\/ended\?.*reason=no_site/)
    assert.match(page.html, /found no site or organization that your account can use/)
    assert.deepEqual(await stored(user.id), [])
    assert.deepEqual(await outcomes(user.id), [{ outcome: 'failed' }])
    await eventually(async () => assert.deepEqual(await activeGrants(), grantsBefore))
  })

  it('a list that cannot be read fails as an unavailable provider, and the grant is revoked', async () => {
    const grantsBefore = await activeGrants()
    for (const body of [{ sites: [] }, 'nonsense']) {
      t.sandbox.script({ target: 'sites', behavior: 'status', status: 200, body })
      const { page } = await linkAs('ana')
      assert.match(page.url, /reason=provider_unavailable/)
    }
    await eventually(async () => assert.deepEqual(await activeGrants(), grantsBefore))
  })

  it('entries whose value cannot be part of a URL are omitted', async () => {
    const body = [
      { id: '../admin', name: 'Evil' },
      { id: 'x@evil.example', name: 'Evil' },
      { id: { a: 1 }, name: 'Evil' },
      { id: 'harbour-club', name: '<b>Harbour\u0000 Club</b>', url: 'javascript:alert(1)' },
      { id: 'lisbon-2027' },
    ]
    t.sandbox.script({ target: 'sites', behavior: 'status', status: 200, body })
    const { page } = await linkAs('ana')
    assert.doesNotMatch(page.html, /Evil|<b>Harbour/)
    assert.match(page.html, /&lt;b&gt;Harbour {1,2}Club&lt;\/b&gt;/)
    assert.match(page.html, /<bdi>lisbon-2027<\/bdi>/)
    assert.equal([...page.html.matchAll(/name="site"/g)].length, 2)
  })

  it('a value that the provider did not list is rejected, and the list is shown again', async () => {
    const { user, browser, page } = await linkAs('ana')
    for (const site of ['okafor-and-sons', '../admin', '', 'evil.example']) {
      const answer = await choose(browser, page, site)
      assert.equal(answer.status, 422, site)
      assert.match(answer.html, /Choose one of the sites in the list/)
    }
    assert.deepEqual(await stored(user.id), [])
    assert.match((await choose(browser, page, 'lisbon-2027')).url, /\/done/)
    assert.equal(await siteOfCalls(user.id), 'lisbon-2027')
  })

  it('two concurrent submissions store one credential', async () => {
    const { user, browser, page } = await linkAs('ana')
    const answers = await Promise.all([
      choose(browser, page, 'ruiz-studio'),
      choose(browser, page, 'harbour-club'),
      choose(browser, page, 'ruiz-studio'),
    ])
    for (const { title } of answers) assert.match(title, /is connected/)
    const created = (await t.events(user.id)).filter(({ type }) => type.startsWith('credential.'))
    assert.deepEqual(
      created.map(({ type }) => type),
      ['credential.created'],
    )
    const site = await siteOfCalls(user.id)
    assert.match((await choose(browser, page, 'lisbon-2027')).title, /is connected/)
    assert.equal(await siteOfCalls(user.id), site)
  })

  it('another browser cannot choose', async () => {
    const { user, page, browser } = await linkAs('ana')
    const other = createBrowserUser()
    const opened = await other.open(page.url)
    assert.match(opened.title, /Connect Acme Sites/)
    const [jar] = other.cookies.values()
    const forged = await fetch(page.url.split('?')[0] as string, {
      method: 'POST',
      headers: { cookie: [...(jar ?? [])].map(([name, value]) => `${name}=${value}`).join('; ') },
      body: new URLSearchParams({
        form_token: /name="form_token" value="([^"]*)"/.exec(opened.html)?.[1] ?? '',
        attempt: new URL(page.url).searchParams.get('attempt') ?? '',
        site: 'ruiz-studio',
      }),
      redirect: 'manual',
    })
    assert.match(forged.headers.get('location') ?? '', /\/done/)
    assert.deepEqual(await stored(user.id), [])
    assert.match((await choose(browser, page, 'ruiz-studio')).title, /is connected/)
  })

  it('canceling stores nothing, revokes the grant and leaves the link open', async () => {
    const grantsBefore = await activeGrants()
    const { user, browser, page, link } = await linkAs('ana')
    assert.equal((await activeGrants()).length, grantsBefore.length + 1)
    const cancelled = await browser.submit(page, /\/cancel$/)
    assert.match(cancelled.title, /You canceled/)
    await eventually(async () => assert.deepEqual(await activeGrants(), grantsBefore))
    assert.deepEqual(await stored(user.id), [])
    assert.deepEqual(await outcomes(user.id), [{ outcome: 'exited' }])
    const { body } = await t.call('GET', `/api/v1/registered-users/${user.id}/link-sessions`)
    const steps = body.data[0].timeline.map(({ step }: { step: string }) => step)
    assert.deepEqual(steps, ['minted', 'opened_by_scanner', 'left', 'choosing_site', 'cancelled'])
    assert.match((await choose(browser, page, 'ruiz-studio')).title, /Connect Acme Sites/)
    assert.deepEqual(await stored(user.id), [])
    const again = await startAt(browser, link, 'ana')
    assert.match((await choose(browser, again, 'ruiz-studio')).title, /is connected/)
  })

  it('a pending choice ends with its session, and its grant is revoked', async () => {
    const grantsBefore = await activeGrants()
    const { user, browser, page } = await linkAs('ana')
    const [grant] = (await activeGrants()).filter(id => !grantsBefore.includes(id))
    assert.ok(grant)
    await t.moveClock(31 * MINUTE)
    try {
      assert.match((await choose(browser, page, 'ruiz-studio')).title, /has expired/)
      assert.match((await browser.open(page.url)).title, /has expired/)
      await endOverdueSecrets(t.service.features.db)
      assert.equal(await waiting(user.id), 0)
      assert.deepEqual(
        await t.query('select reason from revocations where registered_user_id = $1', [user.id]),
        [{ reason: 'choice_not_made' }],
      )
    } finally {
      await t.moveClock(0)
    }
    assert.deepEqual(await stored(user.id), [])
    await revokeDueTokens(t.service.features)
    // The job may have been woken meanwhile.
    await eventually(async () => assert.ok(!(await activeGrants()).includes(grant)))
  })

  it('a user who is deactivated before choosing is not linked, and the grant is revoked', async () => {
    const grantsBefore = await activeGrants()
    const { user, browser, page } = await linkAs('ana')
    await t.call('PATCH', `/api/v1/registered-users/${user.id}`, { body: { is_active: false } })
    assert.match((await choose(browser, page, 'ruiz-studio')).title, /paused/)
    await t.call('PATCH', `/api/v1/registered-users/${user.id}`, { body: { is_active: true } })
    await choose(browser, page, 'ruiz-studio')
    assert.deepEqual(await stored(user.id), [])
    await revokeDueTokens(t.service.features)
    // The job may have been woken meanwhile.
    await eventually(async () => assert.deepEqual(await activeGrants(), grantsBefore))
  })

  it('in code mode the code stores the chosen site, and an older choice does not end it', async () => {
    await t.allowOrigin('https://app.example')
    const body = { callback_url: 'https://app.example/done', state: 'mine' }
    const { user, browser, link } = await linkAs('ana', body)
    const second = await startAt(browser, link, 'ana')
    await choose(browser, second, 'lisbon-2027')
    const code = new URL(browser.lastLocation as string).searchParams.get('code')
    await t.query(
      `update pending_secrets set expires_at = app_now() where registered_user_id = $1 and code_hash not in
      (select code_hash from link_sessions where registered_user_id = $1 and code_hash is not null)`,
      [user.id],
    )
    assert.equal(await endOverdueSecrets(t.service.features.db), 1)
    const { body: sessions } = await t.call('GET', `/api/v1/registered-users/${user.id}/link-sessions`)
    assert.equal(sessions.data[0].status, 'awaiting_confirmation')
    const confirmed = await t.call('POST', '/api/v1/link-token/confirm/', { body: { code } })
    assert.equal(confirmed.status, 200, confirmed.text)
    assert.equal(await siteOfCalls(user.id), 'lisbon-2027')
  })

  it('linking again with another site replaces the site', async () => {
    const first = await linkAs('ana')
    await choose(first.browser, first.page, 'ruiz-studio')
    assert.equal(await siteOfCalls(first.user.id), 'ruiz-studio')
    const second = await linkAs('ana', {}, first.user.id)
    await choose(second.browser, second.page, 'harbour-club')
    assert.equal((await stored(first.user.id)).length, 1)
    assert.equal(await siteOfCalls(first.user.id), 'harbour-club')
    const replaced = (await t.events(first.user.id)).find(({ type }) => type === 'credential.replaced')
    assert.equal(replaced?.payload.account_changed, false)
  })
})

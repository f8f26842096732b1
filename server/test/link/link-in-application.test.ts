import assert from 'node:assert/strict'
import { createHash, randomInt } from 'node:crypto'
import { after, before, describe, it } from 'node:test'
import type { LinkTokenRequest, TradedSession } from '@carabiner/contract'
import { freePort } from '../../../scripts/postgres-cluster.ts'
import { HOUR, MINUTE } from '../../src/core/duration.ts'
import {
  type BrowserUser,
  consentAtSandbox,
  createBrowserUser,
  linkNotes,
  type Page,
  readForms,
} from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { type Answer, joinTestService, startTestService, type TestService } from '../support/test-service.ts'

const APP = 'https://app.example.com'
const LOCAL_APP = 'http://localhost:5173'
const NOTES = { Connector: 'sandbox-notes' }
const VAULT = { Connector: 'sandbox-vault' }
const SCOPES = 'notes%3Aread%20notes%3Awrite'

type Session = TradedSession & { userId: string; token: string; link: string }

/** A random client address, so that the rate limit per address does not affect other tests. */
const randomAddress = () => ({ 'x-forwarded-for': [10, 0, 0, 0].map(n => n || randomInt(256)).join('.') })

/** Requests a page or submits a form, with the cookies of a browser and the given `Origin`. */
const browse = async (
  url: string,
  {
    browser = createBrowserUser(),
    origin,
    form,
  }: { browser?: BrowserUser; origin?: string; form?: Record<string, string> } = {},
): Promise<Page & { location: string | null }> => {
  const jar = browser.cookies.get(new URL(url).host) ?? new Map<string, string>()
  browser.cookies.set(new URL(url).host, jar)
  const response = await fetch(url, {
    method: form ? 'POST' : 'GET',
    redirect: 'manual',
    headers: {
      ...randomAddress(),
      ...(origin !== undefined && { origin }),
      ...(jar.size > 0 && { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }),
    },
    ...(form && { body: new URLSearchParams(form) }),
  })
  for (const line of response.headers.getSetCookie()) {
    const [name = '', value = ''] = (line.split(';')[0] ?? '').split('=')
    jar.set(name, value)
  }
  const html = await response.text()
  const location = response.headers.get('location')
  return {
    url,
    status: response.status,
    headers: response.headers,
    html,
    title: /<title>([^<]*)/.exec(html)?.[1] ?? '',
    location: location && new URL(location, url).href,
  }
}

const formOf = (page: Page, pattern: RegExp): { action: string; fields: Record<string, string> } => {
  const form = readForms(page).find(({ action }) => pattern.test(action))
  assert.ok(form, `a form to ${pattern} at ${page.url.slice(0, 60)} (${page.status} ${page.title})`)
  return form
}

const policyOf = ({ headers }: { headers: Headers }, directive: string): string[] =>
  (headers.get('content-security-policy') ?? '')
    .split('; ')
    .find(each => each.startsWith(`${directive} `))
    ?.split(' ')
    .slice(1) ?? []

const links = (t: TestService, linkUrl = `${t.baseUrl}/link`) => {
  const linkOrigin = new URL(linkUrl).origin
  const exchange = (linkToken: string, origin: string | null = linkOrigin): Promise<Answer> =>
    t.call('POST', `${linkUrl}/sessions`, {
      key: linkToken,
      headers: { ...(origin !== null && { origin }), ...randomAddress() },
    })
  const newSession = async (body: LinkTokenRequest = {}, key = t.organization.key): Promise<Session> => {
    const { id: userId } = await t.createUser({}, key)
    const { link_token: token, magic_link_url: link } = await t.mint(userId, body, key)
    const exchanged = await exchange(token)
    assert.equal(exchanged.status, 200, exchanged.text)
    return { ...exchanged.body, userId, token, link }
  }
  const linked = async (userId: string): Promise<string[]> =>
    (await t.call('GET', `/api/v1/registered-users/${userId}`)).body.linked_connectors
  /** Submits a form in the same way as a page of Link. */
  const submit = (
    page: Page,
    pattern: RegExp,
    {
      browser = createBrowserUser(),
      values = {},
    }: { browser?: BrowserUser; values?: Record<string, string> } = {},
  ) => {
    const { action, fields } = formOf(page, pattern)
    return browse(action, { browser, origin: linkOrigin, form: { ...fields, ...values } })
  }
  /** Completes the flow from a page of Link: start, sign-in, decision. Returns the page of the last redirect. */
  const completeFlow = async (
    page: Page,
    options: { decision?: string } = {},
  ): Promise<Page & { browser: BrowserUser }> => {
    const browser = createBrowserUser()
    const started = await submit(page, /\/start$/, { browser })
    assert.equal(started.status, 303)
    const ended = await consentAtSandbox(browser, await browser.open(started.location as string), options)
    return { ...ended, browser }
  }
  const removeOrigin = async (origin: string): Promise<void> => {
    const answer = await t.call('DELETE', '/api/v1/callback-origins', { body: { origin } })
    assert.equal(answer.status, 204, answer.text)
  }
  return { linkOrigin, removeOrigin, exchange, newSession, linked, submit, completeFlow }
}

for (const engine of flowEngines) {
  describe(`exchanging a link token on ${engine}`, () => {
    let t: TestService
    let l: ReturnType<typeof links>
    before(async () => {
      t = await joinTestService(engine)
      l = links(t)
      for (const origin of [APP, LOCAL_APP, 'myapp://']) await t.allowOrigin(origin)
    })
    after(() => t.stop())

    it('returns the session of the bearer token, with exactly these keys', async () => {
      const { id } = await t.createUser()
      for (const body of [{}, NOTES]) {
        const { link_token, expires_at } = await t.mint(id, body)
        for (const answer of [await l.exchange(link_token), await l.exchange(link_token, APP)]) {
          assert.equal(answer.status, 200, answer.text)
          assert.deepEqual(Object.keys(answer.body), ['session', 'url', 'status', 'expires_at', 'Connector'])
          const { session, url, ...rest } = answer.body as TradedSession
          assert.match(session, /^[\w-]{68}$/)
          assert.equal(url, `${t.baseUrl}/link/s/${session}`)
          assert.deepEqual(rest, {
            status: 'open',
            expires_at,
            Connector: 'Connector' in body ? body.Connector : null,
          })
          assert.equal(answer.headers.get('cache-control'), 'no-store')
          assert.ok(!answer.text.includes('cb_'), 'no token')
        }
      }
    })

    it('consumes nothing: after 20 exchanges the session still completes, and is used then [embedded.trade] [symptom.used]', async () => {
      const session = await l.newSession(NOTES)
      for (let i = 0; i < 20; i++) assert.equal((await l.exchange(session.token)).body.status, 'open')
      await l.completeFlow(await browse(session.url))
      assert.deepEqual(await l.linked(session.userId), ['sandbox-notes'])
      assert.equal((await l.exchange(session.token)).body.status, 'used')
      assert.equal((await browse(session.link)).status, 303)
      assert.equal(
        (await createBrowserUser().open(session.link)).status,
        410,
        'the magic link is used as well',
      )
    })

    it('returns the status of the session [symptom.expired]', async () => {
      const inactive = await l.newSession()
      await t.call('PATCH', `/api/v1/registered-users/${inactive.userId}`, { body: { is_active: false } })
      assert.equal((await l.exchange(inactive.token)).body.status, 'user_inactive')
      await t.allowOrigin('https://leaving.example.com')
      const unlisted = await l.newSession({ callback_url: 'https://leaving.example.com/cb' })
      await l.removeOrigin('https://leaving.example.com')
      assert.equal((await l.exchange(unlisted.token)).body.status, 'unauthorized_origin')
      const late = await l.newSession()
      await t.moveClock(31 * MINUTE)
      const { body } = await l.exchange(late.token)
      assert.deepEqual([body.status, body.expires_at], ['expired', late.expires_at])
      const deleted = await l.newSession()
      await t.call('DELETE', `/api/v1/registered-users/${deleted.userId}`)
      assert.equal((await l.exchange(deleted.token)).status, 404)
    })

    it('an invalid link token returns 404 as JSON, readable by the page, without details', async () => {
      const { token, link } = await l.newSession()
      const browser = createBrowserUser()
      const { id } = await t.createUser()
      const code = await t.mint(id, { callback_url: `${APP}/cb`, state: 's' })
      await linkNotes(browser, code.magic_link_url)
      const wrong = [
        '',
        ' ',
        'x',
        token.slice(0, -1),
        `${token}a`,
        `${token.slice(0, 20)}${token[20] === 'a' ? 'b' : 'a'}${token.slice(21)}`,
        token.toUpperCase(),
        link.split('/magic-link/')[1]?.split('.')[0] ?? '',
        link.split('/magic-link/')[1] ?? '',
        new URL(browser.lastLocation ?? '').searchParams.get('code') ?? '',
        t.organization.key,
        'a'.repeat(10_000),
      ].map(value => `Bearer ${value}`)
      for (const authorization of [...wrong, null, '', token, `Basic ${token}`, `Bearer ${token} ${token}`]) {
        const answer = await t.call('POST', '/link/sessions', {
          key: null,
          headers: { ...(authorization !== null && { authorization }), origin: APP, ...randomAddress() },
        })
        assert.equal(answer.status, 404, authorization?.slice(0, 80))
        const { error } = answer.body
        assert.deepEqual(
          [error.code, error.type, error.param, error.request_id.startsWith('req_')],
          ['invalid_link_token', 'not_found', 'Authorization', true],
        )
        assert.equal(answer.headers.get('access-control-allow-origin'), APP)
      }
      // The body is not read for a token.
      for (const [raw, type, status] of [
        [`link_token=${token}`, 'application/x-www-form-urlencoded', 404],
        [`{"link_token":"${token}"}`, 'application/json', 404],
        ['null', 'application/json', 404],
        [`link_token=${'a'.repeat(300_000)}`, 'application/x-www-form-urlencoded', 413],
        [`{"link_token":"${'a'.repeat(300_000)}"}`, 'application/json', 413],
        ['{', 'application/json', 400],
        ['{"__proto__":{"link_token":"x"}}', 'application/json', 400],
        [`link_token=${token}`, 'text/plain', 415],
      ] as const) {
        const answer = await t.call('POST', '/link/sessions', {
          key: null,
          headers: { 'content-type': type, origin: APP, ...randomAddress() },
          raw,
        })
        assert.equal(answer.status, status, raw.slice(0, 40))
        assert.equal(answer.headers.get('access-control-allow-origin'), APP)
        assert.match(answer.body?.error?.request_id ?? '', /^req_/, 'as JSON')
      }
      for (const method of ['GET', 'PUT', 'DELETE']) {
        const answer = await t.call(method, '/link/sessions', { key: null, headers: randomAddress() })
        assert.equal(answer.status, 405, method)
      }
    })

    it('allows Link’s own page and listed origins; others get unauthorized_origin [origin.exact] [origin.unauthorized] [symptom.unauthorized-origin]', async () => {
      const other = await t.createOrganization(`Other ${randomInt(1e9)}`)
      await t.allowOrigin('https://other.example.com', other.key)
      const { token } = await l.newSession()
      for (const origin of [APP, LOCAL_APP, l.linkOrigin]) {
        const answer = await l.exchange(token, origin)
        assert.equal(answer.status, 200, origin)
        assert.equal(answer.headers.get('access-control-allow-origin'), origin)
        assert.equal(answer.headers.get('vary'), 'Origin')
        assert.equal(answer.headers.get('access-control-allow-credentials'), null)
      }
      for (const origin of [
        null,
        '',
        'null',
        '*',
        'https://evil.example.com',
        'https://other.example.com',
        'http://app.example.com',
        `${APP}:8443`,
        `${APP}:443`,
        `${APP}.`,
        `${APP}.evil.com`,
        `${APP}/`,
        'https://evilapp.example.com',
        'https://sub.app.example.com',
        'https://app.example.co',
        'https://APP.example.com',
        'https://example.com',
        'https://app.example.com@evil.com',
        'http://localhost:5174',
        'http://127.0.0.1:5173',
        'http://localhost',
        'myapp://',
        'myapp://x',
        `${APP}, https://evil.example.com`,
        l.linkOrigin.replace('localhost', '127.0.0.1'),
      ]) {
        const answer = await l.exchange(token, origin)
        assert.equal(answer.status, 400, String(origin))
        assert.equal(answer.body.error.code, 'unauthorized_origin')
        assert.match(answer.body.error.message, /unauthorized origin/i)
        assert.equal(answer.headers.get('access-control-allow-origin') || null, origin || null)
        if (origin) assert.equal(answer.headers.get('vary'), 'Origin')
        assert.equal(answer.headers.get('access-control-allow-credentials'), null)
        assert.ok(
          !/Orbit|Ana|"session"/.test(answer.text),
          'the error names no organization, user or session',
        )
      }
    })

    it('an origin that is removed from the list is rejected from the next request on', async () => {
      const origin = 'https://short-lived.example.com'
      await t.allowOrigin(origin)
      const { token, url } = await l.newSession()
      const opener = `${url}?opener=${encodeURIComponent(origin)}&nonce=12345678`
      assert.equal((await l.exchange(token, origin)).status, 200)
      const framed = await browse(opener)
      assert.equal(framed.status, 200)
      assert.ok(policyOf(framed, 'frame-ancestors').includes(origin))
      await l.removeOrigin(origin)
      assert.equal((await l.exchange(token, origin)).status, 400)
      const refused = await browse(opener)
      assert.equal(refused.status, 400)
      assert.match(refused.html, /unauthorized origin/i)
      assert.ok(!policyOf(refused, 'frame-ancestors').includes(origin))
      assert.doesNotMatch(refused.html, /data-opener/)
    })

    it('preflights are answered for these URLs, never with credentials; the API sends no CORS headers', async () => {
      const { url } = await l.newSession()
      for (const address of [`${t.baseUrl}/link/sessions`, `${url}/events`]) {
        const answer = await t.call('OPTIONS', address, {
          key: null,
          headers: {
            origin: APP,
            'access-control-request-method': 'POST',
            'access-control-request-headers': 'authorization',
            ...randomAddress(),
          },
        })
        assert.equal(answer.status, 204)
        assert.equal(answer.headers.get('access-control-allow-headers'), 'authorization')
        assert.equal(answer.headers.get('access-control-max-age'), '7200')
        assert.equal(answer.headers.get('access-control-allow-origin'), APP)
        assert.equal(answer.headers.get('access-control-allow-credentials'), null)
      }
      const { id } = await t.createUser()
      for (const [method, path] of [
        ['GET', `/api/v1/registered-users/${id}`],
        ['GET', `/api/v1/registered-users/${id}/link-sessions`],
        ['POST', `/api/registered-users/${id}/link-token`],
        ['OPTIONS', `/api/registered-users/${id}/link-token`],
        ['POST', '/api/v1/link-token/confirm'],
        ['GET', '/link/'],
        ['GET', new URL(url).pathname],
      ] as const) {
        const answer = await t.call(method, path, { headers: { origin: APP, ...randomAddress() } })
        const cors = [...answer.headers.keys()].filter(name => name.startsWith('access-control'))
        assert.deepEqual(cors, [], `${method} ${path}`)
      }
    })
  })

  describe(`forms of an embedded page on ${engine}`, () => {
    let t: TestService
    let l: ReturnType<typeof links>
    before(async () => {
      t = await joinTestService(engine)
      l = links(t)
      await t.allowOrigin(APP)
    })
    after(() => t.stop())

    const embedded = ({ url }: Session, more = '') =>
      browse(`${url}?opener=${encodeURIComponent(APP)}&nonce=n0nce-n0nce${more}`)
    /** Counts the rows that an attempt, an ending or a request for a new link would add. */
    const traces = async (): Promise<unknown> =>
      t.query(`select (select count(*) from link_attempts) as attempts, (select count(*) from events) as events,
        (select count(*) from credentials) as credentials, (select count(*) from link_sessions) as sessions,
        (select count(*) from link_sessions where opened_at is not null or renewal_requested_at is not null) as touched,
        (select count(*) from link_steps where step in ('cancelled', 'renewal_requested')) as steps`)

    it('start sets the cookie on a top-level response, and only that browser can finish', async () => {
      const session = await l.newSession(NOTES)
      const page = await embedded(session)
      const { action } = formOf(page, /\/start$/)
      assert.equal(action, `${t.baseUrl}/connect/${session.session}/start`)
      assert.equal(page.headers.get('set-cookie'), null, 'a framed page sets no cookie')
      const browser = createBrowserUser()
      const started = await l.submit(page, /\/start$/, { browser })
      assert.equal(started.status, 303)
      assert.ok(started.location?.startsWith(`${t.sandbox.url}/oauth/authorize?`))
      assert.match(
        started.headers.get('set-cookie') ?? '',
        /^carabiner_browser=\w{43}; Path=\/; HttpOnly; SameSite=Lax/,
      )
      const signIn = await browser.open(started.location as string)
      // The provider redirects another user’s browser back, as in an attack with a foreign grant.
      const otherBrowser = createBrowserUser()
      for (const [host, jar] of browser.cookies)
        if (host !== new URL(t.baseUrl).host) otherBrowser.cookies.set(host, jar)
      const otherResult = await consentAtSandbox(otherBrowser, signIn)
      assert.equal(otherResult.status, 403)
      assert.deepEqual(await l.linked(session.userId), [])
      const again = await l.completeFlow(await embedded(session))
      assert.deepEqual([again.status, /\/connect\/.*\/done/.test(again.url)], [200, true])
      assert.deepEqual(await l.linked(session.userId), ['sandbox-notes'])
    })

    it('an API key is accepted from the embedded page, without a cookie', async () => {
      const session = await l.newSession(VAULT)
      const page = await embedded(session)
      const wrong = await l.submit(page, /\/api-key$/, { values: { api_key: 'sv_live_wrong' } })
      assert.equal(wrong.status, 422)
      const done = await l.submit(wrong, /\/api-key$/, { values: { api_key: t.sandbox.vaultKeys.ana } })
      assert.equal(done.status, 303)
      assert.ok(done.location?.startsWith(`${session.url}/done?`))
      assert.equal(done.headers.get('set-cookie'), null)
      const end = await browse(done.location as string)
      assert.equal(end.status, 200)
      assert.match(end.html, /ana@example\.com/)
      assert.deepEqual(await l.linked(session.userId), ['sandbox-vault'])
      const withoutProof = await browse(`${session.url}/done`)
      assert.equal(withoutProof.status, 410)
      assert.doesNotMatch(
        withoutProof.html,
        /ana@example\.com/,
        'another client with the URL does not see the account',
      )
      for (const seen of ['seen=a&seen=b', 'seen[]=a', 'seen=', `seen=${'a'.repeat(5000)}`])
        assert.equal((await browse(`${session.url}/done?${seen}`)).status, 410, seen.slice(0, 20))
    })

    it('another API key in the frame is asked about: “Replace or add?”, without a cookie', async () => {
      const first = await l.newSession(VAULT)
      const { ana, ben } = t.sandbox.vaultKeys
      await l.submit(await embedded(first), /\/api-key$/, { values: { api_key: ana } })
      const { link_token: token } = await t.mint(first.userId, VAULT)
      const session = { ...first, ...(await l.exchange(token)).body, token }
      const asked = await l.submit(await embedded(session), /\/api-key$/, { values: { api_key: ben } })
      assert.ok(asked.location?.startsWith(`${session.url}/account?`))
      const question = await browse(asked.location as string)
      assert.match(question.title, /Replace or add/)
      assert.match(question.html, /ben@example\.com/)
      const withoutProof = new URL(asked.location as string)
      for (const seen of [[], ['a', 'b'], ['']]) {
        withoutProof.searchParams.delete('seen')
        for (const each of seen) withoutProof.searchParams.append('seen', each)
        const page = await browse(withoutProof.href)
        assert.doesNotMatch(page.html, /ben@example\.com/)
        assert.ok(page.status < 500)
      }
      const done = await l.submit(question, /\/account$/, { values: { account: 'add' } })
      assert.ok(done.location?.startsWith(`${session.url}/done?`), done.location ?? done.title)
      assert.equal(done.headers.get('set-cookie'), null)
      assert.match((await browse(done.location as string)).html, /ben@example\.com/)
      const { data } = (await t.call('GET', `/api/v1/registered-users/${first.userId}/credentials`)).body
      assert.deepEqual(
        data.map(({ label }: { label: string }) => label),
        ['ana@example.com', 'ben@example.com'],
      )
    })

    it('cancel in the frame closes the component, and the link stays open', async () => {
      const session = await l.newSession(NOTES)
      const canceled = await l.submit(await embedded(session), /\/cancel$/)
      assert.equal(canceled.status, 303)
      const page = await browse(canceled.location as string)
      assert.equal(page.status, 200)
      assert.match(page.html, /data-close="1"/)
      assert.match(page.html, new RegExp(`data-opener="${APP}" data-nonce="n0nce-n0nce"`))
      assert.equal((await l.exchange(session.token)).body.status, 'open')
      assert.deepEqual(
        (await t.events(session.userId)).map(({ type }) => type),
        ['registered_user.created', 'link.opened', 'link.exited'],
      )
    })

    it('from another origin nothing starts or is stored; the user sees the consent page [embedded.consent]', async () => {
      const notes = await l.newSession(NOTES)
      const vault = await l.newSession(VAULT)
      const consent = await embedded(notes)
      const keyForm = await embedded(vault)
      const earlier = await traces()
      for (const origin of [
        undefined,
        'null',
        '',
        'https://evil.example.com',
        APP,
        `${l.linkOrigin}/`,
        `${l.linkOrigin}0`,
      ])
        for (const [page, pattern, session, values] of [
          [consent, /\/start$/, notes, {}],
          [consent, /\/cancel$/, notes, {}],
          [keyForm, /\/api-key$/, vault, { api_key: t.sandbox.vaultKeys.ana }],
          [keyForm, /\/cancel$/, vault, {}],
        ] as const) {
          const { action, fields } = formOf(page, pattern)
          const answer = await browse(action, {
            ...(origin !== undefined && { origin }),
            form: { ...fields, ...values },
          })
          assert.equal(answer.status, 303, `${origin} ${pattern}`)
          const base = pattern.source.includes('start')
            ? `${t.baseUrl}/connect/${notes.session}`
            : session.url
          assert.ok(answer.location?.startsWith(`${base}?`), answer.location ?? '')
          assert.equal(answer.headers.get('set-cookie'), null)
          assert.ok(!answer.location?.includes(t.sandbox.vaultKeys.ana))
        }
      assert.deepEqual(await traces(), earlier)
      const { action, fields } = formOf(consent, /\/start$/)
      const browser = createBrowserUser()
      const consentPage = await browse(
        (await browse(action, { origin: APP, form: fields, browser })).location as string,
        {
          browser,
        },
      )
      assert.equal(consentPage.status, 200)
      assert.match(consentPage.html, /Orbit/)
      const startForm = formOf(consentPage, /\/start$/)
      const redirected = await browse(startForm.action, { browser, form: startForm.fields })
      assert.ok(redirected.location?.startsWith(t.sandbox.url), 'a click on the consent page continues')
    })

    it('with a wrong, foreign or missing form token nothing starts, even from Link’s own origin', async () => {
      const other = await t.createOrganization(`Other ${randomInt(1e9)}`)
      const session = await l.newSession(NOTES)
      const second = await l.newSession(NOTES)
      const foreign = await l.newSession(NOTES, other.key)
      const page = await embedded(session)
      const browser = createBrowserUser()
      const magic = await browser.open(session.link)
      const tokenOf = async (each: Session) =>
        formOf(await browse(each.url), /\/start$/).fields.page_token as string
      const formToken = formOf(magic, /\/start$/).fields.form_token as string
      const own = await tokenOf(session)
      const wrong: Record<string, string>[] = [
        { page_token: '' },
        { page_token: 'x' },
        { page_token: own.slice(1) },
        { page_token: await tokenOf(second) },
        { page_token: await tokenOf(foreign) },
        { page_token: formToken },
        { form_token: own },
        { form_token: formToken },
        {},
      ]
      const earlier = await traces()
      for (const pattern of [/\/start$/, /\/cancel$/])
        for (const tokens of wrong) {
          const { action, fields } = formOf(page, pattern)
          const { page_token: _, ...rest } = fields
          const answer = await browse(action, { origin: l.linkOrigin, form: { ...rest, ...tokens } })
          assert.ok(
            answer.status === 403 || (answer.status === 303 && !answer.location?.startsWith(t.sandbox.url)),
            `${pattern} ${JSON.stringify(tokens)}: ${answer.status}`,
          )
        }
      const doubled = await fetch(formOf(page, /\/start$/).action, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          origin: l.linkOrigin,
          ...randomAddress(),
          'content-type': 'application/x-www-form-urlencoded',
        },
        body: `page_token=${own}&page_token=${own}`,
      })
      assert.equal(doubled.status, 403)
      assert.deepEqual(await traces(), earlier)
      assert.equal((await l.submit(page, /\/start$/)).status, 303)
    })

    it('a code-mode session in a frame ends by sending the top window to callback_url', async () => {
      const session = await l.newSession({ ...VAULT, callback_url: `${APP}/cb?own=1`, state: 'st' })
      const done = await l.submit(await embedded(session), /\/api-key$/, {
        values: { api_key: t.sandbox.vaultKeys.ana },
      })
      assert.equal(done.status, 200)
      assert.match(
        done.html,
        /href="https:\/\/app\.example\.com\/cb\?own=1&amp;status=success&amp;code=cb_code_\w+&amp;state=st" target="_top"/,
      )
      assert.deepEqual(await l.linked(session.userId), [])
    })

    describe('a new link', () => {
      const renewals = async (userId: string) =>
        (await t.events(userId)).filter(({ type }) => type === 'link.renewal_requested')
      const expired = async (body: LinkTokenRequest = NOTES): Promise<Session> => {
        const session = await l.newSession(body)
        await t.moveClock(31 * MINUTE)
        return session
      }

      it('can be requested on the expired page: one event per hour for any number of requests [link.renewal]', async () => {
        const session = await expired()
        const page = await embedded(session)
        assert.equal(page.status, 410)
        const sessions = async () => t.query('select count(*) as n from link_sessions')
        const earlier = await sessions()
        const answers = await Promise.all(Array.from({ length: 20 }, () => l.submit(page, /\/renew$/)))
        assert.ok(answers.every(({ status }) => status === 200))
        const browser = createBrowserUser()
        const magic = await browser.open(session.link)
        assert.equal((await browser.submit(magic, /\/renew$/)).status, 200, 'from the magic link as well')
        assert.equal((await renewals(session.userId)).length, 1)
        await t.moveClock(HOUR - MINUTE)
        await l.submit(page, /\/renew$/)
        assert.equal((await renewals(session.userId)).length, 1)
        await t.moveClock(2 * MINUTE)
        await Promise.all(Array.from({ length: 5 }, () => l.submit(page, /\/renew$/)))
        const events = await renewals(session.userId)
        assert.equal(events.length, 2)
        assert.deepEqual(await sessions(), earlier, 'no token is minted')
        const [row] = await t.query('select id from link_sessions where registered_user_id = $1', [
          session.userId,
        ])
        for (const { payload } of events) {
          assert.deepEqual(payload, { link_session_id: row.id, connector_slug: 'sandbox-notes' })
          assert.doesNotMatch(JSON.stringify(payload), /cb_|http|@/)
        }
      })

      it('is not requested by a forged form', async () => {
        const session = await expired()
        const page = await embedded(session)
        const { action, fields } = formOf(page, /\/renew$/)
        const earlier = await traces()
        for (const origin of [undefined, 'null', APP, 'https://evil.example.com'])
          assert.equal((await browse(action, { ...(origin && { origin }), form: fields })).status, 303)
        assert.equal((await browse(action, { origin: l.linkOrigin, form: {} })).status, 403)
        const atBase = action.replace('/link/s/', '/connect/')
        assert.equal((await browse(atBase, { form: {} })).status, 403)
        assert.deepEqual(await traces(), earlier)
      })

      it('is recorded for a used link, but not for an open link or an inactive user', async () => {
        const open = await l.newSession(VAULT)
        const page = await embedded(open)
        const { fields } = formOf(page, /\/api-key$/)
        const renew = (session: Session, form: Record<string, string>) =>
          browse(`${session.url}/renew`, { origin: l.linkOrigin, form })
        assert.equal((await renew(open, fields)).status, 303)
        assert.deepEqual(await renewals(open.userId), [])
        await l.submit(page, /\/api-key$/, { values: { api_key: t.sandbox.vaultKeys.ana } })
        const requested = await renew(open, fields)
        assert.equal(requested.status, 200)
        assert.match(requested.html, /Request sent/)
        assert.equal((await renewals(open.userId)).length, 1, 'a used link can be renewed as well')
        const inactive = await l.newSession(VAULT)
        const token = formOf(await embedded(inactive), /\/api-key$/).fields
        await t.call('PATCH', `/api/v1/registered-users/${inactive.userId}`, { body: { is_active: false } })
        assert.equal((await renew(inactive, token)).status, 403)
        await t.moveClock(31 * MINUTE)
        await renew(inactive, token)
        assert.deepEqual(await renewals(inactive.userId), [], 'not even after the link has expired')
      })
    })
  })

  describe(`redirect_uri on ${engine}`, () => {
    let t: TestService
    let l: ReturnType<typeof links>
    before(async () => {
      t = await joinTestService(engine)
      l = links(t)
      for (const origin of [APP, 'myapp://']) await t.allowOrigin(origin)
    })
    after(() => t.stop())
    const set = async (redirect_uri: string) => {
      const answer = await t.call('PATCH', '/api/v1/link-customization', { body: { redirect_uri } })
      assert.equal(answer.status, 200, answer.text)
    }

    it('hosted page: success redirects with status, Connector and scopes, and keeps query and fragment [hosted.redirect-uri]', async () => {
      await set(`${APP}/linked?from=link&x=a%20b#part`)
      const session = await l.newSession()
      const consent = await browse(`${session.url}?connector=sandbox-notes`)
      const { browser } = await l.completeFlow(consent)
      assert.equal(
        browser.lastLocation,
        `${APP}/linked?from=link&x=a%20b&status=success&Connector=sandbox-notes&scopes=${SCOPES}#part`,
      )
      assert.deepEqual(await l.linked(session.userId), ['sandbox-notes'])
    })

    it('an API key redirects as well, with empty scopes', async () => {
      await set(`${APP}/linked`)
      const session = await l.newSession(VAULT)
      const done = await l.submit(await browse(session.url), /\/api-key$/, {
        values: { api_key: t.sandbox.vaultKeys.ana },
      })
      assert.equal(done.status, 303)
      assert.equal(done.location, `${APP}/linked?status=success&Connector=sandbox-vault&scopes=`)
    })

    it('component and magic link end on a page; callback_url takes precedence; no code is added', async () => {
      await set(`${APP}/linked`)
      const inFrame = await l.newSession(NOTES)
      const framed = await l.completeFlow(await browse(`${inFrame.url}?opener=${encodeURIComponent(APP)}`))
      assert.deepEqual([framed.status, framed.browser.lastLocation], [200, null])
      assert.match(framed.html, /data-close="1"/)
      assert.doesNotMatch(framed.html, /app\.example\.com\/linked/)
      const magic = await l.newSession(NOTES)
      const browser = createBrowserUser()
      assert.equal((await linkNotes(browser, magic.link)).status, 200)
      assert.equal(browser.lastLocation, null)
      const direct = await l.newSession({ ...NOTES, callback_url: `${APP}/cb` })
      const { browser: called } = await l.completeFlow(await browse(direct.url))
      assert.equal(called.lastLocation, `${APP}/cb?status=success`)
      const coded = await l.newSession({ ...NOTES, callback_url: `${APP}/cb`, state: 's' })
      const { browser: withCode } = await l.completeFlow(await browse(coded.url))
      assert.match(
        withCode.lastLocation ?? '',
        /^https:\/\/app\.example\.com\/cb\?status=success&code=cb_code_\w+&state=s$/,
      )
    })

    it('a denied consent stays on a page with a link back that reports exit', async () => {
      await set(`${APP}/linked`)
      const session = await l.newSession(NOTES)
      const ended = await l.completeFlow(await browse(session.url), { decision: 'deny' })
      assert.deepEqual([ended.status, ended.browser.lastLocation], [200, null])
      assert.match(
        ended.html,
        /href="https:\/\/app\.example\.com\/linked\?status=exit&amp;Connector=sandbox-notes/,
      )
      assert.match(ended.html, /Return to (<[^>]*>)?Orbit/)
      assert.deepEqual(await l.linked(session.userId), [])
    })

    it('a custom scheme gets a page that redirects, with a button', async () => {
      await set('myapp://linked/here')
      const session = await l.newSession(NOTES)
      const ended = await l.completeFlow(await browse(session.url))
      assert.equal(ended.status, 200)
      const href = `myapp://linked/here?status=success&amp;Connector=sandbox-notes&amp;scopes=${SCOPES}`
      assert.ok(
        ended.html.includes(`<meta http-equiv="refresh" content="0;url=${href}">`),
        'redirects automatically',
      )
      assert.ok(ended.html.includes(`href="${href}"`), 'has a button')
      assert.ok(policyOf(ended, 'form-action').includes('myapp:'))
    })

    it('an origin removed meanwhile receives no redirect: the user sees the completion page [hosted.redirect-uri-listed]', async () => {
      const origin = 'https://gone.example.com'
      await t.allowOrigin(origin)
      await set(`${origin}/linked`)
      const session = await l.newSession(NOTES)
      const page = await browse(session.url)
      await l.removeOrigin(origin)
      const ended = await l.completeFlow(page)
      assert.deepEqual([ended.status, ended.browser.lastLocation], [200, null])
      assert.match(ended.html, /ana@example\.com/)
      assert.doesNotMatch(ended.html, /gone\.example\.com/)
      assert.deepEqual(await l.linked(session.userId), ['sandbox-notes'])
    })
  })
}

describe('the embeddable page', () => {
  let t: TestService
  let l: ReturnType<typeof links>
  before(async () => {
    t = await joinTestService()
    l = links(t)
  })
  after(() => t.stop())

  const sha = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`
  const isSafe = (page: Page, referrer: string): void => {
    const location = `${page.url.slice(t.baseUrl.length, t.baseUrl.length + 12)} ${page.status}`
    assert.equal(page.headers.get('cache-control'), 'no-store', location)
    assert.equal(page.headers.get('x-content-type-options'), 'nosniff', location)
    assert.equal(page.headers.get('referrer-policy'), referrer, location)
    assert.deepEqual(policyOf(page, 'default-src'), ["'none'"], location)
    assert.deepEqual(policyOf(page, 'base-uri'), ["'none'"], location)
    assert.deepEqual(policyOf(page, 'connect-src'), ["'self'"], location)
    const scripts = [...page.html.matchAll(/<script>([\s\S]*?)<\/script>/g)].map(match => match[1] ?? '')
    const styles = [...page.html.matchAll(/<style>([\s\S]*?)<\/style>/g)].map(match => match[1] ?? '')
    assert.deepEqual(policyOf(page, 'script-src'), scripts.map(sha), location)
    assert.deepEqual(policyOf(page, 'style-src').toSorted(), styles.map(sha).toSorted(), location)
    assert.doesNotMatch(page.html, /\sstyle=|\son[a-z]+="|<script [^>]*src|<link\b|<iframe\b/, location)
    const addresses = [...page.html.matchAll(/(?:src|href|action|url\()="?([^")\s>]*)/g)].map(
      match => match[1] ?? '',
    )
    const external = addresses.filter(each => !each.startsWith('/') && !each.startsWith(t.baseUrl))
    // The link to the provider’s key page is the only external URL.
    assert.deepEqual(
      external.filter(each => each !== `${t.sandbox.url}/vault/keys`),
      [],
      location,
    )
  }

  it('cannot be framed without a listed web origin, and only by listed origins otherwise [embedded.framing]', async () => {
    await t.allowOrigin('myapp://')
    const session = await l.newSession()
    const bare = await browse(session.url)
    assert.deepEqual(policyOf(bare, 'frame-ancestors'), ["'none'"])
    assert.equal(bare.headers.get('x-frame-options'), 'DENY')
    const other = await t.createOrganization('Other')
    await t.allowOrigin('https://other.example.com', other.key)
    for (const origin of [APP, LOCAL_APP, 'https://münchen.example', 'https://app.example.com:8443'])
      await t.allowOrigin(origin)
    const listed = [
      APP,
      'https://app.example.com:8443',
      LOCAL_APP,
      'https://xn--mnchen-3ya.example',
    ].toSorted()
    const inactive = await l.newSession()
    await t.call('PATCH', `/api/v1/registered-users/${inactive.userId}`, { body: { is_active: false } })
    const vault = await l.newSession(VAULT)
    const used = await l.newSession(VAULT)
    await l.submit(await browse(used.url), /\/api-key$/, { values: { api_key: t.sandbox.vaultKeys.ana } })
    const opener = `opener=${encodeURIComponent(APP)}&nonce=12345678`
    for (const [address, status] of [
      [session.url, 200],
      [`${session.url}?${opener}&theme=dark&lang=de`, 200],
      [`${session.url}?connector=sandbox-notes&${opener}`, 200],
      [`${session.url}/ended?outcome=exit&${opener}`, 200],
      [`${session.url}/ended?outcome=error&reason=provider_error`, 200],
      [vault.url, 200],
      [inactive.url, 403],
      [used.url, 410],
      [`${used.url}/done?${opener}`, 200],
      [`${session.url}?opener=https%3A%2F%2Fevil.example.com`, 400],
    ] as const) {
      const page = await browse(address)
      assert.equal(page.status, status, address)
      assert.deepEqual(policyOf(page, 'frame-ancestors').toSorted(), listed, address)
      assert.equal(page.headers.get('x-frame-options'), null)
      isSafe(page, 'strict-origin')
    }
  })

  it('an unlisted or malformed opener gets "unauthorized origin" and receives no message', async () => {
    const { url } = await l.newSession()
    for (const opener of [
      'https://evil.example.com',
      'https://other.example.com',
      `${APP}.evil.com`,
      'http://app.example.com',
      'http://localhost:5174',
      `${APP}/`,
      `${APP}/path`,
      'null',
      '*',
      'myapp://',
      'javascript:alert(1)',
      '"><script>alert(1)</script>',
    ])
      for (const path of ['', '/ended', '/done']) {
        const page = await browse(`${url}${path}?nonce=12345678&opener=${encodeURIComponent(opener)}`)
        assert.equal(page.status, 400, `${path} ${opener}`)
        assert.match(page.html, /unauthorized origin/i)
        assert.doesNotMatch(page.html, /data-opener|<script>alert/)
      }
    const twice = await browse(
      `${url}?opener=${encodeURIComponent(APP)}&opener=https%3A%2F%2Fevil.example.com`,
    )
    assert.equal(twice.status, 400)
    const listed = await browse(`${url}?opener=${encodeURIComponent(APP)}&nonce=12345678`)
    assert.match(listed.html, new RegExp(`<body data-opener="${APP}" data-nonce="12345678"`))
  })

  it('a handle that was tampered with or mixed with another returns 404 and cannot be framed', async () => {
    const { session } = await l.newSession()
    const { session: second } = await l.newSession()
    for (const at of [0, 3, 4, 14, 25, 34, 47, 54, 67]) {
      const flipped = session.slice(0, at) + (session[at] === 'a' ? 'b' : 'a') + session.slice(at + 1)
      for (const rest of ['', '/ended', '/done', '/nowhere']) {
        const page = await browse(`${t.baseUrl}/link/s/${flipped}${rest}`)
        assert.equal(page.status, 404, `${at} ${rest}`)
        assert.deepEqual(policyOf(page, 'frame-ancestors'), ["'none'"])
        assert.equal(page.headers.get('x-frame-options'), 'DENY')
        assert.doesNotMatch(page.html, /Orbit|Ana/)
      }
      for (const action of ['api-key', 'cancel', 'renew']) {
        const answer = await browse(`${t.baseUrl}/link/s/${flipped}/${action}`, {
          origin: l.linkOrigin,
          form: { page_token: 'x' },
        })
        assert.equal(answer.status, 404)
      }
    }
    for (const wrong of [
      session.slice(0, 40) + second.slice(40),
      `${session}=`,
      `${session}A`,
      'x',
      '%00',
      '%2e%2e%2f',
    ])
      assert.equal((await browse(`${t.baseUrl}/link/s/${wrong}`)).status, 404, wrong)
  })

  it('magic links, provider steps and the hosted page cannot be framed', async () => {
    const session = await l.newSession()
    const browser = createBrowserUser()
    const connect = await browser.open(session.link)
    const withOpener = await browse(`${connect.url}?opener=${encodeURIComponent(APP)}&nonce=12345678`)
    for (const page of [connect, withOpener, await browse(`${connect.url}?connector=sandbox-notes`)]) {
      assert.equal(page.status, 200)
      assert.deepEqual(policyOf(page, 'frame-ancestors'), ["'none'"])
      assert.equal(page.headers.get('x-frame-options'), 'DENY')
      assert.doesNotMatch(page.html, /data-opener/)
      isSafe(page, 'no-referrer')
    }
    for (const address of [`${t.baseUrl}/link/`, `${t.baseUrl}/link`, `${t.baseUrl}/link/?opener=${APP}`]) {
      const page = await browse(address)
      assert.equal(page.status, 200)
      assert.deepEqual(policyOf(page, 'frame-ancestors'), ["'none'"])
      assert.equal(page.headers.get('x-frame-options'), 'DENY')
      assert.match(page.html, /data-trade="\/link\/sessions"/)
      isSafe(page, 'no-referrer')
    }
  })

  it('a script above the rate limit gets an error as JSON, readable by its page', async () => {
    const { token } = await l.newSession()
    const address = '10.9.9.9'
    while ((await t.service.features.limits.take(address, 'script')) === null);
    const refused = await t.call('POST', '/link/sessions', {
      key: token,
      headers: { 'x-forwarded-for': address, origin: APP },
    })
    assert.equal(refused.status, 429)
    assert.ok(Number(refused.headers.get('retry-after')) > 0)
    assert.equal(refused.body?.error?.code, 'rate_limited')
    assert.equal(refused.headers.get('access-control-allow-origin'), APP)
    assert.equal((await l.exchange(token)).status, 200, 'other clients are not limited')
  })
})

for (const path of ['/x', '']) {
  describe(`Link on another host${path ? ', under a path' : ', at its root'}`, () => {
    let t: TestService
    let l: ReturnType<typeof links>
    let linkUrl: string
    before(async () => {
      const port = await freePort()
      linkUrl = `http://127.0.0.1:${port}${path}`
      t = await startTestService('postgres', {
        TRUST_PROXY: 'loopback',
        PORT: String(port),
        HOST: '127.0.0.1',
        BASE_URL: `http://localhost:${port}`,
        LINK_URL: `${linkUrl}/`,
      })
      l = links(t, linkUrl)
      await t.allowOrigin(APP)
    })
    after(() => t.stop())

    it('exchange, pages and completion are on that host; provider steps are on the base URL [hosted.address]', async () => {
      const session = await l.newSession(NOTES)
      assert.equal(session.url, `${linkUrl}/s/${session.session}`)
      const opening = await browse(`${linkUrl}/`)
      assert.equal(opening.status, 200)
      assert.match(opening.html, new RegExp(`data-trade="${path}/sessions"`))
      assert.equal(
        (await l.exchange(session.token, t.baseUrl)).status,
        400,
        'the base URL is not an origin of Link',
      )
      const page = await browse(`${session.url}?opener=${encodeURIComponent(APP)}`)
      assert.deepEqual(policyOf(page, 'frame-ancestors'), [APP])
      const { action, fields } = formOf(page, /\/start$/)
      assert.equal(action, `${t.baseUrl}/connect/${session.session}/start`)
      assert.ok(policyOf(page, 'form-action').includes(t.baseUrl))
      const refused = await browse(action, { origin: t.baseUrl, form: fields })
      assert.ok(refused.location?.startsWith(`${t.baseUrl}/connect/`), 'the base URL cannot start it either')
      const ended = await l.completeFlow(page)
      assert.deepEqual([ended.status, ended.url.startsWith(`${t.baseUrl}/connect/`)], [200, true])
      assert.deepEqual(await l.linked(session.userId), ['sandbox-notes'])
      const state = await t.call('GET', `${session.url}/events`, { key: null, headers: { origin: APP } })
      assert.equal(state.body.status, 'completed')
      const unknown = await browse(`${linkUrl}/s/${session.session.slice(1)}a`)
      assert.deepEqual([unknown.status, unknown.headers.get('x-frame-options')], [404, 'DENY'])
    })
  })
}

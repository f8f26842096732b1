import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { request as httpRequest } from 'node:http'
import { after, before, describe, it } from 'node:test'
import type { Fault } from '@carabiner/sandbox'
import { SCRIPT } from '../../src/features/pages/views/index.ts'
import {
  type BrowserUser,
  consentAtSandbox,
  createBrowserUser,
  linkNotes,
  type Page,
  readForms,
} from '../support/browser-user.ts'
import { joinTestService, startTestService, type TestService } from '../support/test-service.ts'

type Posted = { status: number; headers: Headers; text: string }

describe('pages with invalid input', () => {
  let t: TestService
  before(async () => {
    // Behind a proxy, so that each test uses its own client address and is not rate limited.
    t = await joinTestService()
    await t.allowOrigin('https://app.example.com')
    // Jobs are stopped, because these tests compare all rows of the database.
    await t.service.queue.started
    await t.service.queue.stop()
  })
  after(() => t.stop())

  const newLink = async (body = {}, service = t): Promise<{ userId: string; link: string }> => {
    const { id: userId } = await service.createUser()
    return { userId, link: (await service.mint(userId, body)).magic_link_url }
  }
  const linked = async (userId: string, service = t): Promise<string[]> =>
    (await service.call('GET', `/api/v1/registered-users/${userId}`)).body.linked_connectors

  /**
   * The content of every table, to show that a request changed nothing. The timeline’s record of visits and the last use of keys are
   * excluded, because no decision depends on them.
   */
  const databaseState = async (): Promise<string> => {
    const tables = await t.query<{ name: string }>(
      `select tablename as name from pg_tables where schemaname = 'public' and tablename <> 'link_steps' order by 1`,
    )
    const parts: string[] = []
    for (const { name } of tables) {
      const [row] = await t.query<{ rows: number; all: string | null }>(
        `select count(*) as rows, string_agg(row, '' order by row) as all from (select md5((to_jsonb(x) - 'last_used_at')::text) as row from ${name} x) x`,
      )
      parts.push(`${name}: ${row?.rows} ${row?.all ?? ''}`)
    }
    return parts.join('\n')
  }
  const assertUnchanged = async (work: () => Promise<unknown>): Promise<void> => {
    const earlier = await databaseState()
    await work()
    assert.equal(await databaseState(), earlier)
  }

  /** Submits a form with arbitrary headers and body, from a random client address. */
  const post = async (
    url: string,
    fields: Record<string, string> | string,
    { browser, headers = {} }: { browser?: BrowserUser; headers?: Record<string, string> } = {},
  ): Promise<Posted> => {
    const jar = browser?.cookies.get(new URL(url).host)
    const response = await fetch(url, {
      method: 'POST',
      redirect: 'manual',
      headers: {
        'content-type': 'application/x-www-form-urlencoded',
        'x-forwarded-for': `198.51.100.${randomInt(256)}, 10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
        ...(jar && { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }),
        ...headers,
      },
      body: typeof fields === 'string' ? fields : new URLSearchParams(fields).toString(),
    })
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
  /** Opens a page in a new browser or in the given one, from a random client address. */
  const view = async (url: string, browser?: BrowserUser): Promise<Page> => {
    const jar = browser?.cookies.get(new URL(url).host)
    const response = await fetch(url, {
      headers: {
        'x-forwarded-for': `10.${randomInt(256)}.${randomInt(256)}.${randomInt(256)}`,
        ...(jar && { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') }),
      },
    })
    const html = await response.text()
    const title = /<title>([^<]*)/.exec(html)?.[1] ?? ''
    return { url: response.url, status: response.status, headers: response.headers, html, title }
  }
  const formOf = (page: Page, pattern: RegExp) => {
    const form = readForms(page).find(({ action }) => pattern.test(action))
    assert.ok(form, `a form to ${pattern} at ${page.url}`)
    return form
  }

  /** Consents at the provider and returns the redirect back to the service without following it. */
  const consentUntilReturn = async (browser: BrowserUser, signIn: Page, service = t): Promise<string> => {
    let at: { url: string; body?: string } = { url: signIn.url }
    let html = signIn.html
    for (let steps = 0; steps < 20; steps++) {
      const jar = browser.cookies.get(new URL(at.url).host) ?? new Map<string, string>()
      browser.cookies.set(new URL(at.url).host, jar)
      if (html !== '') {
        const [form] = readForms({ ...signIn, url: at.url, html })
        assert.ok(form)
        at = {
          url: form.action,
          body: new URLSearchParams({ ...form.fields, account: 'ana', decision: 'allow' }).toString(),
        }
      }
      const response = await fetch(at.url, {
        method: at.body === undefined ? 'GET' : 'POST',
        redirect: 'manual',
        headers: {
          cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
          ...(at.body !== undefined && { 'content-type': 'application/x-www-form-urlencoded' }),
        },
        ...(at.body !== undefined && { body: at.body }),
      })
      for (const line of response.headers.getSetCookie()) {
        const [name = '', value = ''] = (line.split(';')[0] ?? '').split(/=(.*)/s)
        jar.set(name, value)
      }
      const location = response.headers.get('location')
      html = location ? '' : await response.text()
      if (!location) continue
      const next = new URL(location, at.url).href
      if (next.startsWith(service.baseUrl)) return next
      at = { url: next }
    }
    throw new Error('the provider did not redirect back')
  }
  const startNotes = async (browser: BrowserUser, link: string): Promise<Page> =>
    browser.submit(await browser.open(link), /\/start$/)
  const untilReturn = async (browser: BrowserUser, link: string, service = t): Promise<string> =>
    consentUntilReturn(browser, await startNotes(browser, link), service)
  const notes = { Connector: 'sandbox-notes' }
  const vault = { Connector: 'sandbox-vault' }

  const isSafePage = (headers: Headers, label: string): void => {
    const policy = headers.get('content-security-policy') ?? ''
    assert.match(policy, /default-src 'none'/, label)
    assert.match(policy, /frame-ancestors 'none'/, label)
    assert.match(policy, /base-uri 'none'/, label)
    assert.doesNotMatch(policy, /unsafe|\*/, label)
    assert.match(policy, /style-src 'sha256-[A-Za-z0-9+/=]+'/, label)
    assert.equal(headers.get('cache-control'), 'no-store', label)
    assert.equal(headers.get('referrer-policy'), 'no-referrer', label)
    assert.equal(headers.get('x-content-type-options'), 'nosniff', label)
    assert.equal(headers.get('x-frame-options'), 'DENY', label)
    assert.match(headers.get('content-type') ?? '', /^text\/html; charset=utf-8/i, label)
    assert.match(headers.get('x-request-id') ?? '', /^req_/, label)
  }

  // Started first and checked last, because the timeout of the token endpoint is ten seconds. It uses a separate service,
  // because its writes would otherwise appear as changes made by another test.
  let slow: TestService
  let hanging: { userId: string; link: string; browser: BrowserUser; answer: Promise<Page> }
  before(async () => {
    slow = await startTestService('postgres')
    const { userId, link } = await newLink(notes, slow)
    const browser = createBrowserUser()
    const callback = await untilReturn(browser, link, slow)
    slow.sandbox.script({ target: 'token', behavior: 'hang' })
    hanging = { userId, link, browser, answer: browser.open(callback) }
  })
  after(() => slow.stop())

  describe('a magic link', () => {
    it('that was tampered with in any part is rejected as unknown, and nothing changes', async () => {
      const { link } = await newLink()
      const { link: second } = await newLink()
      const [prefix = '', opaque = ''] = link.split(/(?<=\/magic-link\/)/)
      const [token = '', expiry = '', signature = ''] = opaque.split('.')
      const [token2 = '', expiry2 = '', signature2 = ''] = (second.split('/magic-link/')[1] ?? '').split('.')
      const flip = (text: string, at: number) =>
        text.slice(0, at) + (text[at] === 'a' ? 'b' : 'a') + text.slice(at + 1)
      const tampered = [
        ...[0, 7, 20, 49, 50, 55].map(at => [flip(token, at), expiry, signature].join('.')),
        ...[0, 3, expiry.length - 1].map(at => [token, flip(expiry, at), signature].join('.')),
        ...[0, 5, 20].map(at => [token, expiry, flip(signature, at)].join('.')),
        `${token2}.${expiry}.${signature}`,
        `${token}.${expiry}.${signature2}`,
        `${token2}.${expiry2}.${signature}`,
        `${token}.zzzzzzz.${signature}`,
        `${token}.${expiry}`,
        `${token}..${signature}`,
        `.${expiry}.${signature}`,
        `${token}.${expiry}.`,
        `${token}.${expiry}.${signature.slice(0, 6)}`,
        `${token}.${expiry}.${signature}.x`,
        `${token}.${expiry}.${signature}.`,
        `${signature}.${expiry}.${token}`,
        token,
        opaque.toLowerCase(),
        opaque.toUpperCase(),
        `${opaque}%00`,
        `%20${opaque}`,
        'x',
        'a'.repeat(250),
      ]
      await assertUnchanged(async () => {
        for (const each of tampered) {
          const page = await view(prefix + each)
          assert.equal(page.status, 404, each)
          if (!/^(\.\.|%2e%2e)$/.test(each)) isSafePage(page.headers, each)
          assert.ok(!page.html.includes(token) && !page.html.includes('Orbit'), 'the page reveals nothing')
        }
      })
      assert.equal((await view(link)).status, 200, 'the original link still works')
    })

    it('has one encoding: others that decode to the same signature are rejected', async () => {
      const { link } = await newLink()
      const last = link.at(-1) as string
      const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_'
      const neighbor = alphabet[alphabet.indexOf(last) ^ 1] as string
      for (const other of [
        link.slice(0, -1) + neighbor,
        `${link}!`,
        `${link}==`,
        `${link.slice(0, -3)}*${link.slice(-3)}`,
      ])
        assert.equal((await view(other)).status, 404, other.slice(-10))
    })

    it('that is too long is rejected', async () => {
      const page = await view(`${t.baseUrl}/magic-link/${'a'.repeat(4000)}`)
      assert.equal(page.status, 404)
    })

    it('redirects to a URL without the token', async () => {
      const { link } = await newLink()
      const response = await fetch(link, { redirect: 'manual' })
      assert.equal(response.status, 303)
      assert.doesNotMatch(response.headers.get('location') ?? '', /cb_mlk_/)
      assert.equal(response.headers.get('referrer-policy'), 'no-referrer')
      assert.equal(response.headers.get('cache-control'), 'no-store')
    })
  })

  describe('the URL of a session', () => {
    it('that was tampered with is rejected, and nothing changes', async () => {
      const { link } = await newLink()
      const { url } = await createBrowserUser().open(link)
      const handle = url.split('/connect/')[1] as string
      const base = `${t.baseUrl}/connect/`
      await assertUnchanged(async () => {
        for (const at of [0, 10, 30, 43, 50, 63])
          for (const rest of ['', '/ended', '/done', '?connector=sandbox-notes']) {
            const other = handle.slice(0, at) + (handle[at] === 'a' ? 'b' : 'a') + handle.slice(at + 1)
            assert.equal((await view(base + other + rest)).status, 404)
          }
        for (const other of ['', 'x', handle.slice(1), `${handle}a`, `${handle}AAAA`, '%00', 'a'.repeat(250)])
          assert.equal((await view(base + other)).status, 404, other)
        const other = (handle[0] === 'a' ? 'b' : 'a') + handle.slice(1)
        for (const action of ['start', 'api-key', 'cancel'])
          assert.equal((await post(`${base}${other}/${action}`, { form_token: 'x' })).status, 404)
      })
    })
  })

  describe('a form', () => {
    it('with a wrong, missing, foreign or duplicate token is rejected with a page, and nothing is stored', async () => {
      const { link } = await newLink(notes)
      const { link: second } = await newLink(notes)
      const browser = createBrowserUser()
      const page = await browser.open(link)
      const otherPage = await browser.open(second)
      const pageInOtherBrowser = await createBrowserUser().open(link)
      await assertUnchanged(async () => {
        for (const [pattern] of [[/\/start$/], [/\/cancel$/]] as const) {
          const { action, fields } = formOf(page, pattern)
          const { form_token: token = '', ...rest } = fields
          const foreign = formOf(otherPage, pattern).fields.form_token as string
          const otherToken = formOf(pageInOtherBrowser, pattern).fields.form_token as string
          for (const wrong of [
            '',
            'x',
            token.slice(1),
            `${token}AA`,
            token.toLowerCase(),
            foreign,
            otherToken,
            '\0',
            'a'.repeat(1000),
          ]) {
            const answer = await post(action, { ...rest, form_token: wrong }, { browser })
            assert.equal(answer.status, 403, `${pattern}: ${wrong}`)
            isSafePage(new Headers(answer.headers), 'refused')
          }
          assert.equal((await post(action, rest, { browser })).status, 403)
          assert.equal(
            (await post(action, `form_token=${token}&form_token=${token}`, { browser })).status,
            403,
          )
          assert.equal((await post(action, '', { browser })).status, 403)
        }
      })
    })

    it('without the cookie, or with another browser’s cookie, is rejected, and nothing is stored', async () => {
      const { link } = await newLink(notes)
      const browser = createBrowserUser()
      const { action, fields } = formOf(await browser.open(link), /\/start$/)
      const otherBrowser = createBrowserUser()
      await otherBrowser.open(link)
      await assertUnchanged(async () => {
        const bare = await post(action, fields)
        assert.equal(bare.status, 403)
        assert.match(bare.text, /cookie/i)
        isSafePage(bare.headers, 'no cookie')
        assert.equal((await post(action, fields, { browser: otherBrowser })).status, 403)
        for (const cookie of [
          'carabiner_browser=',
          'carabiner_browser=x',
          `carabiner_browser=${'a'.repeat(43)}`,
          'other=1',
        ])
          assert.equal((await post(action, fields, { headers: { cookie } })).status, 403, cookie)
      })
      assert.equal((await post(action, fields, { browser })).status, 303, 'the original browser continues')
    })

    it('sent by a page of another site is rejected, even with valid fields', async () => {
      const { link } = await newLink(notes)
      const browser = createBrowserUser()
      const { action, fields } = formOf(await browser.open(link), /\/start$/)
      await assertUnchanged(async () => {
        const answer = await post(action, fields, { browser, headers: { 'sec-fetch-site': 'cross-site' } })
        assert.equal(answer.status, 403)
      })
      for (const site of ['same-origin', 'none'])
        assert.equal(
          (await post(action, fields, { browser, headers: { 'sec-fetch-site': site } })).status,
          303,
          site,
        )
    })

    it('that is too large or has another content type is rejected, and nothing is stored', async () => {
      const { link } = await newLink(notes)
      const browser = createBrowserUser()
      const { action, fields } = formOf(await browser.open(link), /\/start$/)
      await assertUnchanged(async () => {
        assert.equal((await post(action, { ...fields, x: 'a'.repeat(300_000) }, { browser })).status, 413)
        for (const type of ['text/plain', 'multipart/form-data; boundary=x', 'application/xml']) {
          const answer = await post(action, fields, { browser, headers: { 'content-type': type } })
          assert.equal(answer.status, 415, type)
        }
      })
    })

    it('for a connector that is not offered shows the picker again, and stores nothing', async () => {
      const { link } = await newLink()
      const browser = createBrowserUser()
      const picker = await browser.open(link)
      const { fields } = formOf(picker, /\/cancel$/)
      await assertUnchanged(async () => {
        for (const connector of ['none', 'sandbox-vault', '__proto__', '', 'sandbox-notes\0'])
          assert.equal(
            (await post(`${picker.url}/start`, { ...fields, connector }, { browser })).status,
            200,
            connector,
          )
        for (const connector of ['none', 'sandbox-notes', 'constructor'])
          assert.equal(
            (await post(`${picker.url}/api-key`, { ...fields, connector, api_key: 'x' }, { browser })).status,
            200,
          )
        assert.equal(
          (
            await post(`${picker.url}/start`, `form_token=${fields.form_token}&connector=a&connector=b`, {
              browser,
            })
          ).status,
          200,
        )
      })
    })

    it('escapes parameters of the URL in the page', async () => {
      const { link } = await newLink()
      const browser = createBrowserUser()
      const { url } = await browser.open(link)
      const markup = encodeURIComponent('"><script>alert(1)</script>')
      for (const rest of [
        `?connector=${markup}`,
        `/ended?outcome=error&reason=${markup}`,
        `/ended?outcome=exit&connector=${markup}`,
        `/ended?connector=a&connector=${markup}`,
      ]) {
        const page = await browser.open(url + rest)
        assert.equal(page.status, 200, rest)
        assert.doesNotMatch(page.html, /<script>alert/)
      }
    })
  })

  describe('the redirect back from the provider', () => {
    it('with an unknown or missing state is rejected, and nothing is stored', async () => {
      await assertUnchanged(async () => {
        for (const query of [
          '',
          '?',
          '?code=x',
          '?state=',
          '?state=x&code=x',
          '?state=%00&code=%00',
          '?state=x&state=y',
          `?state=${'a'.repeat(5000)}`,
          '?error=access_denied',
          '?error=server_error&state=x',
        ])
          for (const context of ['sandbox-notes', 'none', '__proto__', '%00', 'a'.repeat(250)]) {
            const page = await view(`${t.baseUrl}/oauth/callback/${context}${query}`)
            assert.equal(page.status, 400, `${context}${query.slice(0, 40)}: ${page.html.slice(0, 200)}`)
            isSafePage(page.headers, query)
          }
      })
    })

    it('in another browser is rejected, and the original browser still succeeds', async () => {
      const { userId, link } = await newLink(notes)
      const browser = createBrowserUser()
      const callback = await untilReturn(browser, link)
      const otherBrowser = createBrowserUser()
      await otherBrowser.open(link)
      await assertUnchanged(async () => {
        for (const other of [createBrowserUser(), otherBrowser]) {
          const page = await other.open(callback)
          assert.equal(page.status, 403)
          isSafePage(page.headers, 'other browser')
        }
      })
      assert.deepEqual(await linked(userId), [])
      assert.equal((await browser.open(callback)).status, 200)
      assert.deepEqual(await linked(userId), ['sandbox-notes'])
    })

    it('to the redirect URI of another app is rejected, and the attempt stays valid', async () => {
      const { userId, link } = await newLink(notes)
      const browser = createBrowserUser()
      const callback = await untilReturn(browser, link)
      await assertUnchanged(async () => {
        const page = await browser.open(
          callback.replace('/callback/sandbox-notes', '/callback/sandbox-vault'),
        )
        assert.equal(page.status, 400)
      })
      await browser.open(callback)
      assert.deepEqual(await linked(userId), ['sandbox-notes'])
    })

    it('that is replayed stores nothing more', async () => {
      const { userId, link } = await newLink(notes)
      const browser = createBrowserUser()
      const callback = await untilReturn(browser, link)
      await browser.open(callback)
      assert.deepEqual(await linked(userId), ['sandbox-notes'])
      const tokens = () => t.sandbox.ledger.filter(({ kind }) => kind === 'token').length
      const earlier = tokens()
      await assertUnchanged(async () => {
        // The same browser sees the result again; any other browser is rejected.
        const again = await browser.open(callback)
        assert.deepEqual([again.status, again.url.endsWith('/done')], [200, true])
        assert.equal((await createBrowserUser().open(callback)).status, 403)
      })
      assert.equal(tokens(), earlier, 'the code is not sent to the provider again')
    })

    it('with HEAD changes nothing; the user’s GET completes the link', async () => {
      const { userId, link } = await newLink(notes)
      const browser = createBrowserUser()
      const callback = await untilReturn(browser, link)
      const jar = browser.cookies.get(new URL(callback).host) as Map<string, string>
      await assertUnchanged(async () => {
        await fetch(callback, {
          method: 'HEAD',
          redirect: 'manual',
          headers: { cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; ') },
        })
      })
      await browser.open(callback)
      assert.deepEqual(await linked(userId), ['sandbox-notes'])
    })

    it('with another issuer sends no code, and the same link works afterwards', async () => {
      const { userId, link } = await newLink(notes)
      const browser = createBrowserUser()
      const callback = new URL(await untilReturn(browser, link))
      callback.searchParams.set('iss', 'https://evil.example.com')
      const providerCalls = () => t.sandbox.ledger.filter(({ kind }) => kind === 'token').length
      const earlier = providerCalls()
      const page = await browser.open(callback.href)
      assert.equal(page.status, 200)
      assert.match(page.url, /\/ended\?outcome=error&reason=issuer_mismatch/)
      assert.equal(providerCalls(), earlier)
      assert.deepEqual(await linked(userId), [])
      await linkNotes(browser, link)
      assert.deepEqual(await linked(userId), ['sandbox-notes'])
    })

    it('with an error of the provider ends the attempt, and the same link works afterwards', async () => {
      for (const [error, outcome] of [
        ['server_error', 'error'],
        ['temporarily_unavailable', 'error'],
        ['invalid_scope', 'error'],
        ['access_denied', 'exit'],
        ['"><script>', 'error'],
      ] as const) {
        const { userId, link } = await newLink(notes)
        const browser = createBrowserUser()
        const callback = new URL(await untilReturn(browser, link))
        callback.searchParams.delete('code')
        callback.searchParams.set('error', error)
        callback.searchParams.set('error_description', '<b>canary</b>')
        const page = await browser.open(callback.href)
        assert.equal(new URL(page.url).searchParams.get('outcome'), outcome, error)
        assert.doesNotMatch(page.html, /canary/)
        assert.deepEqual(await linked(userId), [])
        await linkNotes(browser, link)
        assert.deepEqual(await linked(userId), ['sandbox-notes'], error)
      }
    })
  })

  describe('a failing token endpoint', () => {
    const faults: Omit<Fault, 'target'>[] = [
      { behavior: 'status', status: 500 },
      { behavior: 'status', status: 400, body: { error: 'invalid_grant', error_description: 'canary' } },
      { behavior: 'status', status: 401, body: { error: 'invalid_client' } },
      { behavior: 'status', status: 200, body: { token_type: 'bearer' } },
      { behavior: 'status', status: 200, body: 'access_token=x' },
      { behavior: 'malformed' },
      { behavior: 'reset' },
      { behavior: 'huge', bytes: 4 * 1024 * 1024 },
      { behavior: 'redirect', location: 'https://evil.example.com/' },
    ]
    for (const [index, fault] of faults.entries()) {
      const label = `${fault.behavior} ${fault.status ?? ''} ${JSON.stringify(fault.body ?? '')}`
      it(`shows no provider text, stores nothing, and leaves the link valid: ${label}`, async () => {
        // Every second case uses code mode, where the application is redirected to as well.
        const callback = { callback_url: 'https://app.example.com/done', state: 'my state' }
        const { userId, link } = await newLink(index % 2 ? { ...notes, ...callback } : notes)
        const browser = createBrowserUser()
        const back = await untilReturn(browser, link)
        t.sandbox.script({ target: 'token', ...fault })
        const page = await browser.open(back)
        if (index % 2) {
          const location = new URL(browser.lastLocation as string)
          assert.deepEqual(
            [...location.searchParams.entries()],
            [
              ['status', 'error'],
              ['state', 'my state'],
            ],
          )
        } else {
          assert.equal(page.status, 200)
          assert.match(page.url, /outcome=error/)
          isSafePage(page.headers, label)
          assert.doesNotMatch(page.html, /canary|evil/)
        }
        assert.deepEqual(await linked(userId), [])
        const statuses = 'select status from link_sessions where registered_user_id = $1'
        const sealed = 'select 1 from sealed_secrets where registered_user_id = $1'
        assert.deepEqual(await t.query(statuses, [userId]), [{ status: 'minted' }])
        assert.deepEqual(await t.query(sealed, [userId]), [])
        await linkNotes(browser, link)
        const [later] = await t.query<{ status: string }>(
          'select status from link_sessions where registered_user_id = $1',
          [userId],
        )
        assert.equal(later?.status, index % 2 ? 'code_issued' : 'completed')
      })
    }
  })

  describe('an API key', () => {
    const openForm = async (): Promise<{
      userId: string
      browser: BrowserUser
      form: ReturnType<typeof formOf>
      link: string
    }> => {
      const { userId, link } = await newLink(vault)
      const browser = createBrowserUser()
      return { userId, link, browser, form: formOf(await browser.open(link), /\/api-key$/) }
    }

    it('that is empty or malformed is rejected before any provider call, and is not counted as an attempt', async () => {
      const { browser, form } = await openForm()
      const providerCalls = () => t.sandbox.ledger.filter(({ kind }) => kind === 'vault.me').length
      const earlier = providerCalls()
      await assertUnchanged(async () => {
        for (const key of [
          '',
          ' ',
          '\t',
          'two words',
          'é',
          'a\r\nx-injected: 1',
          'a\0b',
          '\u{1F511}',
          'a'.repeat(4097),
          'a'.repeat(100_000),
        ]) {
          const answer = await post(form.action, { ...form.fields, api_key: key }, { browser })
          assert.equal(answer.status, 422, JSON.stringify(key))
          isSafePage(answer.headers, 'refused key')
        }
        assert.equal((await post(form.action, form.fields, { browser })).status, 422, 'the field is missing')
      })
      assert.equal(providerCalls(), earlier)
    })

    it('that is sent twice is rejected like a malformed one', async () => {
      const { browser, form } = await openForm()
      const fields = new URLSearchParams(form.fields).toString()
      const answer = await post(form.action, `${fields}&api_key=a&api_key=b`, { browser })
      assert.equal(answer.status, 422, answer.text.slice(0, 200))
      isSafePage(answer.headers, 'two keys')
    })

    it('that the provider rejects is reported, not repeated in the page, and not stored', async () => {
      const { userId, browser, form } = await openForm()
      const answer = await post(form.action, { ...form.fields, api_key: 'sv_live_canary' }, { browser })
      assert.equal(answer.status, 422)
      assert.doesNotMatch(answer.text, /canary/)
      assert.deepEqual(await linked(userId), [])
    })

    for (const fault of [
      { behavior: 'status', status: 503 },
      { behavior: 'status', status: 302 },
      { behavior: 'malformed' },
      { behavior: 'reset' },
    ] as const)
      it(`cannot be tested while the provider is down (${fault.behavior} ${'status' in fault ? fault.status : ''}); the form works afterwards`, async () => {
        const { userId, browser, form } = await openForm()
        t.sandbox.script({ target: 'vault', ...fault })
        const fields = { ...form.fields, api_key: t.sandbox.vaultKeys.ana }
        const down = await post(form.action, fields, { browser })
        assert.equal(down.status, 422)
        assert.ok(!down.text.includes(t.sandbox.vaultKeys.ana))
        assert.deepEqual(await linked(userId), [])
        assert.equal((await post(form.action, fields, { browser })).status, 303)
        assert.deepEqual(await linked(userId), ['sandbox-vault'])
      })

    it('is limited to ten attempts per session; then even a valid key is rejected, in any browser', async () => {
      const { userId, link, browser, form } = await openForm()
      for (let guess = 1; guess <= 10; guess++) {
        const answer = await post(
          form.action,
          { ...form.fields, api_key: `sv_live_guess${guess}` },
          { browser },
        )
        assert.equal(answer.status, 422, `guess ${guess}`)
      }
      const providerCalls = () => t.sandbox.ledger.filter(({ kind }) => kind === 'vault.me').length
      const earlier = providerCalls()
      const right = { api_key: t.sandbox.vaultKeys.ana }
      const eleventh = await post(form.action, { ...form.fields, ...right }, { browser })
      assert.equal(eleventh.status, 429)
      isSafePage(eleventh.headers, 'too many')
      const other = createBrowserUser()
      const otherForm = formOf(await other.open(link), /\/api-key$/)
      assert.equal(
        (await post(otherForm.action, { ...otherForm.fields, ...right }, { browser: other })).status,
        429,
      )
      assert.equal(providerCalls(), earlier, 'the provider is not called')
      assert.deepEqual(await linked(userId), [])
    })

    it('20 concurrent attempts cause ten provider calls', async () => {
      const { browser, form } = await openForm()
      const answers = await Promise.all(
        Array.from({ length: 20 }, (_, guess) =>
          post(form.action, { ...form.fields, api_key: `sv_live_at_once_${guess}` }, { browser }),
        ),
      )
      assert.equal(answers.filter(({ status }) => status === 422).length, 10)
      assert.equal(answers.filter(({ status }) => status === 429).length, 10)
    })
  })

  describe('too many requests from one address', () => {
    it('get 429 with a page and Retry-After; other addresses are not limited', async () => {
      const headers = { 'x-forwarded-for': '203.0.113.77' }
      const url = `${t.baseUrl}/connect/x/start`
      const answers = []
      for (let count = 0; count < 121; count++) answers.push(await post(url, { a: 'b' }, { headers }))
      assert.deepEqual(new Set(answers.slice(0, 120).map(({ status }) => status)), new Set([404]))
      const last = answers.at(-1) as Posted
      assert.equal(last.status, 429)
      assert.match(last.headers.get('retry-after') ?? '', /^[1-9]\d?$/)
      isSafePage(last.headers, 'limited')
      assert.equal((await post(url, { a: 'b' })).status, 404)
    })
  })

  it('GET and HEAD never change anything, and the user can still link afterwards', async () => {
    const { userId, link } = await newLink()
    const { link: locked } = await newLink(vault)
    const browser = createBrowserUser()
    const { url } = await browser.open(link)
    const { url: lockedUrl } = await browser.open(locked)
    const addresses = [
      link,
      locked,
      url,
      lockedUrl,
      ...[
        '?connector=sandbox-notes',
        '?connector=sandbox-vault',
        '?connector=none',
        '/ended?outcome=exit',
        '/ended?outcome=error&reason=provider_error',
        '/ended?outcome=error&reason=x',
        '/done',
      ].map(rest => url + rest),
    ]
    await assertUnchanged(async () => {
      for (let count = 0; count < 50; count++) {
        const address = addresses[count % addresses.length] as string
        assert.equal((await view(address, count % 3 === 0 ? browser : undefined)).status, 200, address)
        const head = await fetch(address, {
          method: 'HEAD',
          headers: { 'x-forwarded-for': `10.0.0.${count}` },
        })
        assert.equal(head.status, 200)
        assert.equal(await head.text(), '')
      }
    })
    await linkNotes(browser, link)
    assert.deepEqual(await linked(userId), ['sandbox-notes'])
  })

  it('every page has the security headers', async () => {
    const { link } = await newLink()
    const { link: keyLink } = await newLink(vault)
    const { link: appLink } = await newLink({ ...notes })
    const browser = createBrowserUser()
    const picker = await browser.open(link)
    const consent = await browser.open(`${picker.url}?connector=sandbox-notes`)
    const cancelled = await browser.submit(consent, /\/cancel$/)
    const pages = [
      picker,
      consent,
      cancelled,
      await browser.open(keyLink),
      await browser.open(`${picker.url}/ended?outcome=error&reason=provider_timeout`),
      await browser.open(`${t.baseUrl}/magic-link/x`),
      await consentAtSandbox(browser, await startNotes(browser, appLink)),
      await createBrowserUser().open(appLink),
    ]
    for (const page of pages) isSafePage(page.headers, `${page.status} ${page.title}`)
    assert.deepEqual(
      pages.map(({ status }) => status),
      [200, 200, 200, 200, 200, 404, 200, 410],
    )
    for (const page of pages) {
      assert.equal(page.html.split(`<script>${SCRIPT}</script>`).length, 2, 'exactly one, unchanged script')
      const rest = page.html.replace(`<script>${SCRIPT}</script>`, '')
      assert.doesNotMatch(rest, /<script|\son[a-z]+=|\sstyle=|javascript:/i, page.title)
      assert.doesNotMatch(
        page.html,
        /(src|href)="(https?:)?\/\/(?!localhost)/,
        `${page.title} loads no external resource`,
      )
    }
  })

  it('URLs of pages return 405 with Allow for other methods', async () => {
    const { link } = await newLink()
    const { url } = await createBrowserUser().open(link)
    const cases: [method: string, address: string, allow: string][] = [
      ['POST', link, 'GET, HEAD'],
      ['DELETE', link, 'GET, HEAD'],
      ['POST', url, 'GET, HEAD'],
      ['PUT', `${url}/start`, 'GET, HEAD, POST'],
      ['POST', `${url}/done`, 'GET, HEAD'],
      ['OPTIONS', url, 'GET, HEAD'],
    ]
    await assertUnchanged(async () => {
      for (const [method, address, allow] of cases) {
        const answer = await fetch(address, { method, redirect: 'manual' })
        assert.deepEqual([answer.status, answer.headers.get('allow')], [405, allow], `${method} ${address}`)
        assert.equal(answer.headers.get('access-control-allow-origin'), null)
      }
      for (const form of ['start', 'api-key', 'cancel']) {
        const answer = await fetch(`${url}/${form}`, { redirect: 'manual' })
        assert.deepEqual([answer.status, answer.headers.get('location')], [303, new URL(url).pathname], form)
      }
    })
  })

  it('a URL that cannot be decoded returns 400', async () => {
    const { hostname, port } = new URL(t.baseUrl)
    for (const path of ['/magic-link/%zz', '/connect/%', '/oauth/callback/%c3%28?state=x']) {
      const status = await new Promise<number | undefined>((resolve, reject) => {
        httpRequest({ hostname, port, path, agent: false }, incoming => {
          incoming.resume()
          resolve(incoming.statusCode)
        })
          .on('error', reject)
          .end()
      })
      assert.equal(status, 400, path)
    }
  })

  it('a hanging token endpoint times out, nothing is stored, and the same link works afterwards', async () => {
    const { userId, link, browser, answer } = hanging
    const page = await answer
    assert.match(page.url, /outcome=error&reason=provider_timeout/)
    assert.deepEqual(await linked(userId, slow), [])
    await linkNotes(browser, link)
    assert.deepEqual(await linked(userId, slow), ['sandbox-notes'])
  })
})

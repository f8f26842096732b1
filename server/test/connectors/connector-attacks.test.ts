import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { HOUR } from '../../src/core/duration.ts'
import { registerAtSandbox } from '../support/acme-connectors.ts'
import { consentAtSandbox, createBrowserUser, type Page } from '../support/browser-user.ts'
import { eventually } from '../support/eventually.ts'
import {
  callbackUrlOf,
  type HostileAuthorization,
  redirectTo,
  type StepHandler,
  sendJson,
  startHostileAuthorization,
} from '../support/hostile-authorization.ts'
import { type Answer, joinTestService, type TestService } from '../support/test-service.ts'

let slugs = 0
const newSlug = () => `theirs-${++slugs}`

describe('hostile authorization server', () => {
  let t: TestService
  let hostile: HostileAuthorization
  before(async () => {
    t = await joinTestService()
    hostile = await startHostileAuthorization()
  })
  after(async () => {
    await t.stop()
    await hostile.stop()
  })
  beforeEach(() => hostile.reset())

  const add = (slug = newSlug(), more: Record<string, unknown> = {}): Promise<Answer> =>
    t.call('POST', '/api/v1/connectors', { body: { slug, name: 'Theirs', url: hostile.url, ...more } })
  const added = async (
    more: Record<string, unknown> = {},
  ): Promise<{ slug: string; redirectUri: string }> => {
    const answer = await add(newSlug(), more)
    assert.equal(answer.status, 201, answer.text)
    return { slug: answer.body.slug, redirectUri: answer.body.redirect_uri }
  }
  const stored = async (userId: string) =>
    (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data
  const link = async (slug: string) => {
    const user = await t.createUser()
    const browser = createBrowserUser()
    const consent = await browser.open((await t.mint(user.id, { connector: slug })).magic_link_url)
    return { user, browser, page: await browser.submit(consent, /\/start$/) }
  }
  /** The flow must end on an error page, without a stored credential. */
  const assertEndsWithError = async (page: Page, userId: string, label: string): Promise<void> => {
    assert.match(page.url, /outcome=error/, `${label}: ${page.status} ${page.title}`)
    assert.match(page.html, /<h1/, label)
    assert.deepEqual(await stored(userId), [], label)
  }
  const crashes = () => t.logLines.filter(line => /unexpected error|"level":"fatal"/.test(line))
  const codesAtSandbox = () => t.sandbox.ledger.filter(({ kind }) => kind === 'token').length

  it('is linked if it follows the protocol', async () => {
    const { slug } = await added()
    const { user, page } = await link(slug)
    assert.match(page.url, /\/done/, page.title)
    assert.equal((await stored(user.id))[0].status, 'active')
  })

  describe('that redirects the browser to another provider', () => {
    const atSandbox = (redirectUri: string, clientId: string): StepHandler =>
      redirectTo(({ url }) => {
        const next = new URL(`${t.sandbox.url}/oauth/authorize`)
        for (const [name, value] of url.searchParams) next.searchParams.set(name, value)
        next.searchParams.set('client_id', clientId)
        next.searchParams.set('redirect_uri', redirectUri)
        next.searchParams.set('scope', 'notes:read')
        next.searchParams.delete('resource')
        return next.href
      })
    const notesClient = async (): Promise<string> =>
      (await t.service.features.apps.forLinking(t.organization.id, 'sandbox-notes'))?.clientId as string

    it('does not receive a code issued to our app there, and the code is not redeemed', async () => {
      const { slug } = await added()
      hostile.handlers.authorize = atSandbox(`${t.baseUrl}/oauth/callback/sandbox-notes`, await notesClient())
      const { user, browser, page } = await link(slug)
      const codes = codesAtSandbox()
      const back = await consentAtSandbox(browser, page)
      assert.equal(back.status, 400)
      assert.match(new URL(back.url).pathname, /\/oauth\/callback\/sandbox-notes$/)
      assert.deepEqual(hostile.requestsTo('token'), [])
      assert.equal(codesAtSandbox(), codes)
      assert.deepEqual(await stored(user.id), [])
      // Even when the response is sent to the redirect URI of the attempt, its issuer does not match.
      const parameters = new URL(back.url).search
      const { redirect_uri } = (await t.call('GET', `/api/v1/connectors/${slug}`)).body
      await assertEndsWithError(await browser.open(`${redirect_uri}${parameters}`), user.id, 'carried over')
      assert.deepEqual(hostile.requestsTo('token'), [])
    })

    it('does not receive a code issued to its own client there with our redirect URI', async () => {
      const { slug, redirectUri } = await added()
      const { client_id } = await registerAtSandbox(t.sandbox.url, redirectUri)
      hostile.handlers.authorize = atSandbox(redirectUri, client_id)
      const { user, browser, page } = await link(slug)
      await assertEndsWithError(await consentAtSandbox(browser, page), user.id, 'own client')
      assert.deepEqual(hostile.requestsTo('token'), [])
    })

    it('cannot have its own code redeemed for another connector', async () => {
      const { slug } = await added()
      let callbackUrl = ''
      hostile.handlers.authorize = (request, response) => {
        callbackUrl = callbackUrlOf(request, { iss: hostile.origin })
        response.end('later')
      }
      const { browser } = await link(slug)
      const path = `${t.baseUrl}/oauth/callback/sandbox-notes${new URL(callbackUrl).search}`
      assert.equal((await browser.open(path)).status, 400)
      assert.match((await browser.open(callbackUrl)).url, /\/done/, 'the original attempt is still valid')
    })
  })

  it('a wrong, missing or duplicate issuer in the response is rejected before the code is redeemed', async () => {
    for (const [label, parameters] of [
      ['another', { iss: 'https://evil.example' }],
      ['listed issuer as a prefix', { iss: `${hostile.origin}.evil.example` }],
      ['empty', { iss: '' }],
      ['trailing slash', { iss: `${hostile.origin}/` }],
      ['none', {}],
    ] as const) {
      const { slug } = await added()
      hostile.handlers.authorize = redirectTo(request => callbackUrlOf(request, parameters))
      const { user, page } = await link(slug)
      await assertEndsWithError(page, user.id, label)
    }
    const { slug } = await added()
    hostile.handlers.authorize = redirectTo(
      request => `${callbackUrlOf(request, { iss: hostile.origin })}&iss=https%3A%2F%2Fevil.example`,
    )
    const { user, page } = await link(slug)
    await assertEndsWithError(page, user.id, 'two')
    assert.deepEqual(hostile.requestsTo('token'), [])
  })

  it('a server that announces no issuer parameter is linked without one, but not with a wrong one', async () => {
    hostile.metadata = { authorization_response_iss_parameter_supported: undefined }
    const { slug } = await added()
    hostile.handlers.authorize = redirectTo(request => callbackUrlOf(request))
    assert.match((await link(slug)).page.url, /\/done/)
    hostile.handlers.authorize = redirectTo(request =>
      callbackUrlOf(request, { iss: 'https://evil.example' }),
    )
    const { user, page } = await link(slug)
    await assertEndsWithError(page, user.id, 'wrong')
  })

  it('a response that is repeated, or sent from another browser or session, is redeemed at most once', async () => {
    const { slug } = await added()
    const answers: string[] = []
    hostile.handlers.authorize = (request, response) => {
      answers.push(callbackUrlOf(request, { iss: hostile.origin }))
      response.end('later')
    }
    const [a, b] = [await link(slug), await link(slug)]
    const [ownUrl, otherUrl] = answers as [string, string]
    assert.equal((await b.browser.open(ownUrl)).status, 403, 'another session sends this response')
    const swapped = new URL(ownUrl)
    swapped.searchParams.set('state', new URL(otherUrl).searchParams.get('state') as string)
    assert.equal(
      (await a.browser.open(swapped.href)).status,
      403,
      'the session’s own code with the state of another session',
    )
    assert.equal(
      (await createBrowserUser().open(ownUrl)).status,
      403,
      'a browser without the session’s cookie',
    )
    assert.deepEqual(hostile.requestsTo('token'), [])
    const done = await Promise.all([a.browser.open(ownUrl), a.browser.open(ownUrl), a.browser.open(ownUrl)])
    assert.equal(hostile.requestsTo('token').length, 1)
    assert.ok(done.some(({ url }) => /\/done/.test(url)))
    await a.browser.open(ownUrl)
    assert.equal(hostile.requestsTo('token').length, 1, 'not redeemed again later')
    assert.deepEqual(await stored(b.user.id), [])
  })

  it('endpoints published after registration are ignored', async () => {
    const { slug } = await added()
    const { authorization_server } = (await t.call('GET', `/api/v1/connectors/${slug}`)).body
    hostile.metadata = {
      issuer: 'https://evil.example',
      authorization_endpoint: `${hostile.origin}/evil-authorize`,
      token_endpoint: `${hostile.origin}/evil-token`,
      revocation_endpoint: `${hostile.origin}/evil-revoke`,
    }
    const { user, page } = await link(slug)
    assert.match(page.url, /\/done/)
    await t.moveClock(2 * HOUR)
    await t.mcp(user.id, 'tools/call', { name: `${slug}__look`, arguments: {} })
    assert.equal(hostile.requestsTo('token').length, 2, 'the code exchange and the refresh')
    assert.deepEqual(
      hostile.requests.filter(({ step }) => step.startsWith('evil')),
      [],
    )
    const current = (await t.call('GET', `/api/v1/connectors/${slug}`)).body
    assert.equal(current.authorization_server, authorization_server)
  })

  const token = (body: Record<string, unknown>): StepHandler => {
    const whole = { access_token: 'an-access-token', token_type: 'Bearer', ...body }
    return (_, response) => sendJson(response, whole)
  }
  const text = (body: string, type = 'application/json', status = 200): StepHandler => {
    return (_, response) => response.writeHead(status, { 'content-type': type }).end(body)
  }
  const endless: StepHandler = (_, response) => {
    response.writeHead(200, { 'content-type': 'application/json' })
    const more = (): void => {
      while (!response.destroyed && response.write(' '.repeat(65_536)));
    }
    response.on('drain', more)
    more()
  }

  it('malformed token responses: not linked, nothing stored', async () => {
    const { slug } = await added()
    for (const [label, handler] of Object.entries<StepHandler>({
      endless,
      'a page': text('<html>hello</html>', 'text/html'),
      'a page labeled as JSON': text('<html>hello</html>'),
      'an empty response': text(''),
      'a list': text('[]'),
      null: text('null'),
      'not UTF-8': (_, response) =>
        response.writeHead(200, { 'content-type': 'application/json' }).end(Buffer.from([0xff, 0xfe, 0x7b])),
      redirect: (_, response) => response.writeHead(307, { location: `${hostile.origin}/evil` }).end(),
      'an unknown status': text('{}', 'application/json', 999),
      truncated: (_, response) => {
        response.writeHead(200, { 'content-type': 'application/json', 'content-length': '1000' })
        response.write('{"access_token":')
        setImmediate(() => response.destroy())
      },
      'nested a hundred thousand times': text('['.repeat(100_000)),
      'no token': text('{"token_type":"bearer"}'),
      'a token that is a list': token({ access_token: ['a'] }),
      'an empty token': token({ access_token: '' }),
      'a token with a line break': token({ access_token: 'a\r\nx-evil: 1' }),
      'a token with NUL': token({ access_token: 'a\u0000b' }),
      'a token with non-ASCII letters': token({ access_token: 'тoken' }),
      'a token of 900 KB': token({ access_token: 'a'.repeat(900_000) }),
      'a refresh token with a line break': token({ refresh_token: 'a\r\nx-evil: 1' }),
      'a refresh token of 900 KB': token({ refresh_token: 'a'.repeat(900_000) }),
    })) {
      hostile.handlers.token = handler
      const { user, page } = await link(slug)
      await assertEndsWithError(page, user.id, label)
    }
    assert.deepEqual(hostile.requestsTo('evil'), [])
    assert.deepEqual(crashes(), [])
  })

  it('extreme token lifetimes and scopes are limited to plausible values, and the account is linked', async () => {
    const { slug } = await added()
    const many = Array.from({ length: 10_000 }, (_, index) => `scope-${index}`)
    for (const [label, body] of Object.entries<Record<string, unknown>>({
      'expired long ago': { expires_in: -1 },
      'never expires': { expires_in: 1e300 },
      'expires in a million years': { expires_in: 31_536_000_000_000 },
      'expires as text': { expires_in: 'soon' },
      'expires as a list': { expires_in: [3600] },
      'ten thousand scopes': { scope: many.join(' ') },
      'scopes as a list': { scope: many },
      'scopes with NUL and lone surrogates': { scope: 'good \u0000bad \ud800 <b> "quoted" good\\slash' },
      'scopes of an unexpected type': { scope: { a: 1 } },
      'scopes that are one very long word': { scope: 's'.repeat(500_000) },
    })) {
      hostile.handlers.token = token(body)
      const { user, page } = await link(slug)
      assert.match(page.url, /\/done/, `${label}: ${page.status} ${page.title}`)
      const [credential] = await stored(user.id)
      assert.equal(credential.status, 'active', label)
      assert.ok(credential.scopes.length <= 500, label)
      assert.ok(
        credential.scopes.every((scope: string) => /^[\x21-\x7e]{1,256}$/.test(scope)),
        label,
      )
      assert.ok(
        credential.access_expires_at === null ||
          Math.abs(Date.parse(credential.access_expires_at) - Date.now()) < 20 * 366 * 24 * HOUR,
        label,
      )
      const call = await t.mcp(user.id, 'tools/call', { name: `${slug}__look`, arguments: {} })
      assert.equal(call.body.result.isError, false, `${label}: ${call.text}`)
    }
    assert.deepEqual(crashes(), [])
  })

  it('control characters are removed from an account name before it is stored', async () => {
    const name = 'Ana\u0000\r\n\u001b[31mRuiz'
    t.sandbox.script({ target: 'notes', behavior: 'status', status: 200, body: { email: name } })
    const { user, browser, page } = await link('sandbox-notes')
    assert.match((await consentAtSandbox(browser, page)).url, /\/done/)
    assert.equal((await stored(user.id))[0].account, 'Ana [31mRuiz')
    assert.deepEqual(crashes(), [])
  })

  it('malformed refresh responses leave the stored credential unchanged', async () => {
    const { slug } = await added()
    hostile.handlers.token = token({ refresh_token: 'first', expires_in: 1 })
    const { user } = await link(slug)
    const call = async () =>
      (await t.mcp(user.id, 'tools/call', { name: `${slug}__look`, arguments: {} })).body.result
    for (const body of [
      { access_token: 'a\nb' },
      { access_token: 'x'.repeat(900_000) },
      { refresh_token: 'a\rb' },
    ]) {
      hostile.handlers.token = token(body)
      const result = await call()
      assert.equal(result.structuredContent.error.code, 'third_party_unavailable', JSON.stringify(result))
      assert.equal((await stored(user.id))[0].status, 'active')
    }
    hostile.handlers.token = token({ access_token: 'second', expires_in: 1e300, scope: '\u0000' })
    assert.equal((await call()).isError, false)
    const sentTokens = hostile
      .requestsTo('token')
      .map(({ body }) => new URLSearchParams(body).get('refresh_token'))
    assert.deepEqual(sentTokens, [null, 'first', 'first', 'first', 'first'])
    assert.equal(hostile.requests.at(-1)?.headers.authorization, 'Bearer second')
    assert.deepEqual(crashes(), [])
  })

  it('not linked if the server rejects its own token, and the grant is revoked', async () => {
    const { slug } = await added()
    for (const status of [401, 403, 500]) {
      hostile.requests = []
      hostile.handlers['mcp:initialize'] = text('{}', 'application/json', status)
      const { user, page } = await link(slug)
      await assertEndsWithError(page, user.id, String(status))
      await eventually(async () => assert.equal(hostile.requestsTo('revoke').length, 1, String(status)))
      const [receipt] = (await t.call('GET', `/api/v1/registered-users/${user.id}/revocations`)).body.data
      assert.equal(receipt.connector_slug, slug)
    }
    assert.deepEqual(crashes(), [])
  })

  it('malformed client registration responses are rejected, and nothing is stored', async () => {
    const register = (body: Record<string, unknown>, status = 201): StepHandler => {
      return (request, response) =>
        sendJson(response, { ...(JSON.parse(request.body) as object), ...body }, status)
    }
    for (const [label, handler] of Object.entries<StepHandler>({
      endless,
      'a page': text('<html>', 'text/html', 201),
      redirect: (_, response) => response.writeHead(307, { location: `${hostile.origin}/evil` }).end(),
      'no client': register({}),
      'a client with a line break': register({ client_id: 'a\r\nb', client_secret: 'c' }),
      'a client with NUL': register({ client_id: 'a\u0000b', client_secret: 'c' }),
      'a client of 60 KB': register({ client_id: 'a'.repeat(60_000), client_secret: 'c' }),
      'a secret with a line break': register({ client_id: 'a', client_secret: 'c\r\nd' }),
      'another redirect URI': register({
        client_id: 'a',
        client_secret: 'c',
        redirect_uris: ['https://evil.example/'],
      }),
      'another authentication method': register({
        client_id: 'a',
        client_secret: 'c',
        token_endpoint_auth_method: 'private_key_jwt',
      }),
      'an error with markup': text(
        '{"error":"<script>alert(1)</script>\\u0000","error_description":"x"}',
        'application/json',
        400,
      ),
    })) {
      hostile.handlers.register = handler
      const slug = newSlug()
      const refused = await add(slug)
      assert.equal(refused.status, 400, `${label}: ${refused.text}`)
      assert.equal(refused.body.error.code, 'invalid_mcp_server', label)
      assert.doesNotMatch(refused.text, /script|\\u0000|\\r/, label)
      assert.deepEqual(await t.query('select 1 from oauth_apps where connector_slug = $1', [slug]), [], label)
      assert.equal((await t.call('GET', `/api/v1/connectors/${slug}`)).status, 404, label)
    }
    assert.deepEqual(hostile.requestsTo('evil'), [])
    assert.deepEqual(crashes(), [])
  })

  it('metadata with endpoints that cannot be stored is rejected as invalid_mcp_server', async () => {
    for (const [field, value] of Object.entries({
      token_endpoint: `${hostile.origin}/token?\u0000`,
      authorization_endpoint: `${hostile.origin}/authorize\ud800`,
      revocation_endpoint: `${hostile.origin}/re\nvoke`,
      registration_endpoint: `${hostile.origin}/регистр`,
    })) {
      hostile.metadata = { [field]: value }
      const refused = await add()
      assert.equal(refused.body.error?.code, 'invalid_mcp_server', `${field}: ${refused.text}`)
    }
    hostile.metadata = {}
    hostile.handlers.resource = (_, response) =>
      sendJson(response, { resource: `${hostile.url}?\u0000`, authorization_servers: [hostile.origin] })
    assert.equal((await add()).body.error?.code, 'invalid_mcp_server')
    assert.deepEqual(crashes(), [])
  })

  it('tools that cannot be stored are skipped, and the others are linked', async () => {
    const { slug } = await added()
    const tool = (name: string, more: object) => ({
      name,
      description: 'x',
      inputSchema: { type: 'object' },
      ...more,
    })
    hostile.tools = [
      tool('good', {}),
      tool('half', { inputSchema: { type: 'object', properties: { a: { enum: ['\ud800'] } } } }),
      tool('halfname', { inputSchema: { type: 'object', properties: { '\udc00': { type: 'string' } } } }),
      tool('nul', { inputSchema: { type: 'object', properties: { a: { const: '\u0000' } } } }),
      tool('words', { title: '\ud800\u0000', description: 'a\ud800b\u0000' }),
    ]
    const { user, page } = await link(slug)
    assert.match(page.url, /\/done/, `${page.status} ${page.title}`)
    const { tools } = (await t.call('GET', `/api/v1/connectors/${slug}/tools`)).body
    assert.deepEqual(
      tools.map(({ name }: { name: string }) => name),
      ['good', 'words'],
    )
    assert.equal((await stored(user.id)).length, 1)
    assert.deepEqual(crashes(), [])
  })
})

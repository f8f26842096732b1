import assert from 'node:assert/strict'
import { subscribe, unsubscribe } from 'node:diagnostics_channel'
import { after, before, beforeEach, describe, it } from 'node:test'
import { newUuid } from '../../src/core/uuid.ts'
import { createMcpConnector } from '../../src/features/connectors/mcp-servers/create-mcp-connector.ts'
import { createBrowserUser, type Page, readForms } from '../support/browser-user.ts'
import {
  type HostileAuthorization,
  type StepHandler,
  sendJson,
  startHostileAuthorization,
} from '../support/hostile-authorization.ts'
import { type PlainMcp, startPlainMcp } from '../support/plain-mcp.ts'
import { type StagedHosts, stageHosts } from '../support/staged-hosts.ts'
import { TENANT_SUFFIX, writeTenantConnectors } from '../support/tenant-connectors.ts'
import {
  type Answer,
  startTestService,
  type TestOrganization,
  type TestService,
} from '../support/test-service.ts'

let slugs = 0
const newSlug = () => `bound-${++slugs}`
const CONNECTORS = '/api/v1/connectors'
const at = (slug: string, rest = '') => `${CONNECTORS}/${slug}${rest}`
const describeTool = (name: string, inputSchema: Record<string, unknown> = { type: 'object' }) => ({
  name,
  description: `The tool ${name}.`,
  inputSchema,
})

describe('connector validation and isolation', () => {
  const sites = writeTenantConnectors()
  let t: TestService
  let hostile: HostileAuthorization
  let plain: PlainMcp
  let second: PlainMcp
  /** Hosts of outbound requests, except this machine. */
  const outboundHosts: string[] = []
  const watch = (message: unknown): void => {
    const { hostname } = new URL(String((message as { request: { origin: unknown } }).request.origin))
    if (hostname !== 'localhost' && hostname !== '127.0.0.1') outboundHosts.push(hostname)
  }
  before(async () => {
    t = await startTestService('postgres', { CONNECTORS_DIRECTORY: sites.folder })
    hostile = await startHostileAuthorization()
    plain = await startPlainMcp()
    second = await startPlainMcp()
    subscribe('undici:request:create', watch)
  })
  after(async () => {
    unsubscribe('undici:request:create', watch)
    await t.stop()
    await Promise.all([hostile.stop(), plain.stop(), second.stop()])
    sites.remove()
  })
  beforeEach(() => {
    hostile.reset()
    for (const server of [plain, second]) {
      server.requiredHeader = null
      server.tools = [{ name: 'look', description: 'Looks.' }]
      server.calls.length = 0
    }
    outboundHosts.length = 0
  })

  const add = (body: Record<string, unknown>, key?: string): Promise<Answer> =>
    t.call('POST', CONNECTORS, { body: { name: 'Theirs', ...body }, ...(key && { key }) })
  const added = async (body: Record<string, unknown>): Promise<any> => {
    const answer = await add({ slug: newSlug(), ...body })
    assert.equal(answer.status, 201, answer.text)
    return answer.body
  }
  const run = async (userId: string, name: string, args = {}) =>
    (await t.mcp(userId, 'tools/call', { name, arguments: args })).body.result
  const toolNames = async (userId: string, cursor?: string): Promise<string[]> => {
    const { tools, nextCursor } = (await t.mcp(userId, 'tools/list', { cursor })).body.result
    const names = tools.map(({ name }: { name: string }) => name)
    return nextCursor ? [...names, ...(await toolNames(userId, nextCursor))] : names
  }
  const stored = async (userId: string) =>
    (await t.call('GET', `/api/v1/registered-users/${userId}/credentials`)).body.data
  const open = async (slug: string) => {
    const user = await t.createUser()
    const browser = createBrowserUser()
    const page = await browser.open((await t.mint(user.id, { connector: slug })).magic_link_url)
    return { user, browser, page }
  }
  const crashes = () => t.logLines.filter(line => /unexpected error|"level":"fatal"/.test(line))
  const assertNoCrashes = () => assert.deepEqual(crashes(), [])

  describe('a host entered by the user', () => {
    const HOSTILE = [
      'evil.com#',
      'evil.com/',
      'evil.com?',
      'evil.com\\',
      'evil.com:443',
      'a.b@evil',
      '@evil.com',
      'evil%2ecom',
      '%00',
      '.',
      '..',
      'xn--80ak6aa92e.com#',
      'аpple',
      'evil。com',
      'evil／com',
      'ｅvil',
      'a\r\nx-evil: 1',
      'a b',
      '{tenant.site}',
      '[::1]',
      '//evil.com',
      'https://evil.com',
      'https://evil.com#.tenants.invalid',
      `evil.com/${TENANT_SUFFIX}`,
      `evil.com#${TENANT_SUFFIX}`,
      TENANT_SUFFIX,
      'a'.repeat(5000),
    ]
    const UNUSUAL = ['127.0.0.1', 'localhost', 'evil.com', 'evil.com.', 'a..b', 'xn--a', 'a'.repeat(64)]
    const values = (site: string) => ({
      'tenant.site': site,
      constructor: 'me@example.com',
      api_key: 'key-of-mine',
    })

    before(async () => {
      for (const slug of ['tight-sites', 'loose-sites'])
        assert.equal(
          (await t.call('PUT', at(slug, '/oauth-app'), { body: { client_id: 'c', client_secret: 's' } }))
            .status,
          200,
        )
    })

    const assertNoOtherHosts = () => {
      const otherHosts = outboundHosts.filter(host => !host.endsWith(TENANT_SUFFIX))
      assert.deepEqual(otherHosts, [])
      assertNoCrashes()
    }

    it('is rejected before any request if it is not a valid host', async () => {
      const { user, browser, page } = await open('tight-sites')
      const form = await browser.follow(page, /method=api_key/)
      for (const site of HOSTILE) {
        const tried = await browser.submit(form, /\/api-key$/, values(site))
        assert.equal(tried.status, 422, `${JSON.stringify(site.slice(0, 60))}: ${tried.title}`)
      }
      assert.deepEqual(outboundHosts, [])
      assert.deepEqual(await stored(user.id), [])
      assertNoCrashes()
    })

    it('never leads the browser or a request to another domain, even with a loose pattern', async () => {
      const { user, browser, page } = await open('loose-sites')
      for (const site of [...HOSTILE, ...UNUSUAL]) {
        browser.lastLocation = null
        const result = await browser.submit(page, /\/start$/, values(site))
        const label = `${JSON.stringify(site.slice(0, 60))}: ${result.title}`
        if (browser.lastLocation === null) assert.equal(result.status, 422, label)
        else assert.ok(new URL(browser.lastLocation).hostname.endsWith(TENANT_SUFFIX), label)
        if (HOSTILE.includes(site)) assert.equal(browser.lastLocation, null, label)
      }
      const form = await browser.follow(page, /method=api_key/)
      for (const site of ['evil.com', 'localhost', 'a..b'])
        assert.equal((await browser.submit(form, /\/api-key$/, values(site))).status, 422, site)
      assert.ok(outboundHosts.includes(`evil.com${TENANT_SUFFIX}`), 'the request was observed')
      assert.deepEqual(await stored(user.id), [])
      assertNoOtherHosts()
    })

    it('header injection, duplicate fields and inherited property names in the form are rejected', async () => {
      const { user, browser, page } = await open('tight-sites')
      const form = await browser.follow(page, /method=api_key/)
      assert.doesNotMatch(form.html, /native code/)
      for (const more of [
        { api_key: 'a\r\nx-evil: 1' },
        { api_key: 'a b' },
        { api_key: 'ключ' },
        { api_key: 'k'.repeat(5000) },
        { constructor: 'me\nx-evil: 1' },
        { constructor: 'm'.repeat(321) },
        { constructor: '' },
      ]) {
        const tried = await browser.submit(form, /\/api-key$/, { ...values('good'), ...more })
        assert.equal(tried.status, 422, JSON.stringify(more).slice(0, 60))
      }
      const { action, fields } = readForms(form).find(one => one.action.endsWith('/api-key')) as any
      const jar = browser.cookies.get(new URL(action).host) as Map<string, string>
      const post = async (parameters: [string, string][]) =>
        fetch(action, {
          method: 'POST',
          redirect: 'manual',
          headers: {
            'content-type': 'application/x-www-form-urlencoded',
            cookie: [...jar].map(([name, value]) => `${name}=${value}`).join('; '),
          },
          body: new URLSearchParams([...Object.entries<string>(fields), ...parameters]),
        })
      const good = Object.entries(values('good'))
      for (const parameters of [
        [...good, ['tenant.site', 'evil']],
        [...good, ['api_key', 'other']],
        good.filter(([name]) => name !== 'constructor'),
        good.map(([name, value]) => (name === 'constructor' ? ['__proto__', value] : [name, value])),
        [...good.slice(1), ['tenant.__proto__', 'evil']],
        [...good.slice(1), ['tenant[site]', 'evil']],
      ] as [string, string][][])
        assert.equal((await post(parameters)).status, 422, JSON.stringify(parameters))
      assert.deepEqual(outboundHosts, [], 'no request was sent')
      assert.deepEqual(await stored(user.id), [])
      assertNoCrashes()
    })
  })

  describe('names', () => {
    it('rejects connector slugs that are ambiguous or reserved', async () => {
      for (const slug of [
        '',
        'a__b',
        'a_b',
        'authenticate_x',
        'A',
        'é',
        'a b',
        '-a',
        'a-',
        'a--b',
        '__proto__',
        '../x',
        'a.b',
        'a\u0000',
        'a'.repeat(41),
        'ѕandbox-notes',
      ]) {
        const refused = await add({ slug, url: plain.url })
        assert.equal(refused.status, 400, slug)
        assert.equal(refused.body.error.param, 'slug', slug)
      }
      for (const slug of ['sandbox-notes', 'sandbox-vault', 'tight-sites'])
        assert.equal((await add({ slug, url: plain.url })).body.error.code, 'connector_exists')
    })

    it('slugs that equal object properties, routes or our own tools work like any other', async () => {
      plain.requiredHeader = ['authorization', 'Bearer mine-alone']
      for (const slug of ['constructor', 'authenticate', 'tools', 'oauth-app', newUuid()]) {
        await added({ slug, url: plain.url, authentication: 'user_secret' })
        assert.equal((await t.call('GET', at(slug))).body.slug, slug)
        const user = await t.createUser()
        const browser = createBrowserUser()
        const link = (await t.mint(user.id)).magic_link_url
        const picker = await browser.open(link)
        assert.doesNotMatch(picker.html, /native code|<em>/, 'nothing is connected yet')
        const form = await browser.follow(picker, new RegExp(`connector=${slug}`))
        assert.doesNotMatch(form.html, /native code/)
        assert.match((await browser.submit(form, /\/api-key$/, { secret: 'mine-alone' })).url, /\/done/, slug)
        assert.equal((await run(user.id, `${slug}__look`)).isError, false, slug)
        assert.equal((await run(user.id, `authenticate_${slug}`)).structuredContent.connected, true, slug)
        assert.equal((await t.call('DELETE', at(slug))).status, 204)
      }
      assertNoCrashes()
    })

    it('tool names never reach a tool of another connector', async () => {
      const names = [
        'look',
        'y__look',
        '-y__look',
        '__look',
        '_look',
        'x-y__look',
        'authenticate',
        'authenticate_x-y',
        'ｌook',
        'lo.ok',
        'sandbox-notes__list_notes',
        'n'.repeat(100),
      ]
      plain.tools = names.map(name => describeTool(name))
      second.tools = [describeTool('look'), describeTool('authenticate')]
      await added({ slug: 'x', url: plain.url })
      await added({ slug: 'x-y', url: second.url })
      const user = await t.createUser()
      const all = await toolNames(user.id)
      assert.equal(new Set(all).size, all.length)
      for (const name of all) assert.match(name, /^[A-Za-z0-9_-]{1,64}$/)
      const shown = (await t.call('GET', at('x', '/tools'))).body.tools
      assert.deepEqual(
        shown.map((tool: any) => tool.upstream_name),
        names,
      )
      for (const { name, upstream_name } of shown) {
        assert.ok(all.includes(`x__${name}`))
        assert.equal((await run(user.id, `x__${name}`)).isError, false, name)
        assert.equal(plain.calls.at(-1)?.tool, upstream_name)
      }
      assert.equal(second.calls.length, 0)
      assert.equal((await run(user.id, 'x-y__look')).isError, false)
      assert.equal(second.calls.length, 1)
      // These names are reserved for linking or invalid, so no server receives a call.
      for (const name of [
        'authenticate_x',
        'authenticate_x-y',
        'authenticate__x',
        'x__',
        'x',
        '__look',
        'x-y__',
      ])
        assert.equal((await run(user.id, name)).isError, true, name)
      assert.deepEqual([plain.calls.length, second.calls.length], [shown.length, 1])
    })
  })

  describe('tools', () => {
    it('up to 500 tools of a server are accepted; a server with more is rejected', async () => {
      plain.tools = Array.from({ length: 500 }, (_, index) => describeTool(`tool_${index}`))
      const { slug } = await added({ url: plain.url })
      const user = await t.createUser()
      const listed = (await toolNames(user.id)).filter(name => name.startsWith(`${slug}__`))
      assert.equal(listed.length, 500)
      assert.equal((await run(user.id, `${slug}__tool_499`)).isError, false)
      plain.tools.push(describeTool('one_more'))
      const refused = await t.call('POST', at(slug, '/tools/check'))
      assert.equal(refused.body.error.code, 'invalid_mcp_server')
      assert.match(refused.body.error.message, /500/)
      assert.equal((await add({ slug: newSlug(), url: plain.url })).body.error.code, 'invalid_mcp_server')
      assert.equal((await t.call('DELETE', at(slug))).status, 204)
    })

    it('a tool removed or changed at the server is called as accepted, and the server’s error is returned', async () => {
      const schema = { type: 'object', properties: { a: { type: 'string' } }, required: ['a'] }
      hostile.tools = [describeTool('old', schema), describeTool('gone')]
      const { slug } = await added({
        url: hostile.url,
        authentication: 'organization_secret',
        secret: 'opens-it',
      })
      const user = await t.createUser()
      hostile.tools = [describeTool('old', { type: 'object', required: ['b'] })]
      hostile.handlers['mcp:tools/call'] = (request, response) =>
        sendJson(response, {
          jsonrpc: '2.0',
          id: (JSON.parse(request.body) as { id: unknown }).id,
          error: { code: -32602, message: 'Unknown tool: gone' },
        })
      assert.equal((await t.call('POST', at(slug, '/tools/check'))).status, 200)
      const removed = await run(user.id, `${slug}__gone`)
      assert.equal(removed.isError, true)
      assert.match(JSON.stringify(removed), /Unknown tool/)
      const withNewSchema = await run(user.id, `${slug}__old`, { b: 1 })
      assert.equal(
        withNewSchema.structuredContent.error.code,
        'invalid_arguments',
        'the accepted schema applies',
      )
      delete hostile.handlers['mcp:tools/call']
      assert.equal((await run(user.id, `${slug}__old`, { a: 'x' })).isError, false)
      assertNoCrashes()
    })
  })

  describe('organizations and modes', () => {
    it('cannot read or change each other’s connectors and credentials, by slug or by ID', async () => {
      const other: TestOrganization = await t.createOrganization('Other')
      const { slug } = await added({ url: plain.url })
      plain.tools = [{ name: 'look', description: 'Changed.' }]
      const { pending } = (await t.call('POST', at(slug, '/tools/check'))).body
      const keyed = await added({ url: second.url, authentication: 'user_secret' })
      const { user, browser, page } = await open(keyed.slug)
      await browser.submit(page, /\/api-key$/, { secret: 'mine-alone' })
      const [{ credential_id }] = await stored(user.id)
      const foreign = await t.createUser({}, other.key)
      const testUser = await t.createUser({}, t.organization.testKey)
      const ofUser = (id: string) => `/api/v1/registered-users/${id}`
      const earlier = await t.query(
        'select md5(string_agg(m::text, $1 order by id)) as all from mcp_connectors m',
        [','],
      )
      for (const [method, path, body] of [
        ['GET', at(slug)],
        ['PATCH', at(slug), { name: 'Mine' }],
        ['DELETE', at(slug)],
        ['GET', at(slug, '/tools')],
        ['POST', at(slug, '/tools/check')],
        ['POST', at(slug, '/tools/accept'), { hash: pending.hash }],
        ['GET', `${ofUser(user.id)}/credentials`],
        ['GET', `${ofUser(user.id)}/revocations`],
        ['GET', `${ofUser(user.id)}/credentials/${credential_id}`],
        ['POST', `${ofUser(user.id)}/credentials/${credential_id}/test`],
        ['DELETE', `${ofUser(user.id)}/credentials/${credential_id}`],
        ['GET', `${ofUser(foreign.id)}/credentials/${credential_id}`],
        ['POST', `${ofUser(foreign.id)}/credentials/${credential_id}/test`],
        ['DELETE', `${ofUser(foreign.id)}/credentials/${credential_id}`],
        ['GET', `${ofUser(testUser.id)}/credentials/${credential_id}`],
        ['POST', `${ofUser(testUser.id)}/credentials/${credential_id}/test`],
        ['DELETE', `${ofUser(testUser.id)}/credentials/${credential_id}`],
      ] as [string, string, unknown?][])
        for (const key of [other.key, other.testKey, t.organization.testKey]) {
          const answer = await t.call(method, path, { key, ...(body !== undefined && { body }) })
          const expected = path.startsWith(CONNECTORS) && key !== other.key ? 403 : 404
          assert.equal(answer.status, expected, `${method} ${path}: ${answer.text}`)
        }
      const listed = await t.call('GET', CONNECTORS, { key: other.key })
      assert.ok(!listed.text.includes(slug))
      const call = { name: `${slug}__look`, arguments: {} }
      const called = await t.mcp(foreign.id, 'tools/call', call, { key: other.key, packId: other.toolPackId })
      assert.equal(called.body.result.structuredContent.error.code, 'tool_not_found')
      const mint = await t.call('POST', `${ofUser(foreign.id)}/link-token`, {
        key: other.key,
        body: { connector: keyed.slug },
      })
      assert.equal(mint.body.error.code, 'unknown_connector')
      assert.equal(plain.calls.length, 0)
      assert.equal((await stored(user.id))[0].status, 'active')
      const later = await t.query(
        'select md5(string_agg(m::text, $1 order by id)) as all from mcp_connectors m',
        [','],
      )
      assert.deepEqual(later, earlier)
    })

    it('have separate OAuth apps with different redirect URIs', async () => {
      const other = await t.createOrganization('Other')
      const path = at('tight-sites', '/oauth-app')
      const own = (await t.call('GET', path)).body
      const foreign = await t.call('PUT', path, { key: other.key, body: { client_id: 'foreign' } })
      assert.notEqual(foreign.body.redirect_uri, own.redirect_uri)
      assert.equal((await t.call('DELETE', path, { key: other.key })).status, 204)
      assert.equal((await t.call('DELETE', path, { key: other.key })).status, 404)
      assert.deepEqual((await t.call('GET', path)).body, own)
    })
  })

  describe('requests', () => {
    it('invalid requests are rejected with the field that is invalid, and change nothing', async () => {
      const { slug } = await added({ url: plain.url })
      const { slug: keyed } = await added({ url: second.url, authentication: 'user_secret' })
      plain.tools = [{ name: 'look', description: 'Changed.' }]
      const { pending } = (await t.call('POST', at(slug, '/tools/check'))).body
      const { user, browser, page } = await open(keyed)
      await browser.submit(page, /\/api-key$/, { secret: 'mine-alone' })
      const [{ credential_id }] = await stored(user.id)
      const test = `/api/v1/registered-users/${user.id}/credentials/${credential_id}/test`
      const everything = async () =>
        JSON.stringify(
          await t.query(
            `select (select md5(string_agg(m::text, ',' order by id)) from mcp_connectors m),
               (select md5(string_agg(a::text, ',' order by id)) from oauth_apps a),
               (select md5(string_agg(c::text, ',' order by id)) from credentials c)`,
          ),
        )
      const earlier = await everything()
      const app = at('tight-sites', '/oauth-app')
      const valid: [string, string, Record<string, unknown>][] = [
        ['POST', CONNECTORS, { slug: newSlug(), name: 'x', url: plain.url }],
        ['PATCH', at(slug), { name: 'x' }],
        ['POST', at(slug, '/tools/accept'), { hash: pending.hash }],
        ['PUT', app, { client_id: 'x' }],
      ]
      for (const [method, path, body] of valid) {
        const refuses = async (options: object, code: string, label: string) => {
          const answer = await t.call(method, path, options)
          assert.equal(answer.body?.error?.code, code, `${method} ${path} ${label}: ${answer.text}`)
        }
        await refuses({ body: { ...body, unknown: 1 } }, 'unknown_field', 'unknown')
        await refuses({ body: { ...body, constructor: 1 } }, 'unknown_field', 'constructor')
        await refuses({ raw: `{"__proto__": 1}` }, 'invalid_request', 'prototype')
        await refuses({ raw: '{' }, 'invalid_json', 'truncated')
        await refuses({ raw: '[]' }, 'invalid_request', 'list')
        await refuses({ raw: '"x"' }, 'invalid_request', 'text')
        await refuses(
          { raw: 'a=b', headers: { 'content-type': 'text/plain' } },
          'unsupported_media_type',
          'plain',
        )
        await refuses({ raw: JSON.stringify({ x: 'y'.repeat(300_000) }) }, 'body_too_large', 'large')
        for (const name of Object.keys(body)) {
          await refuses({ body: { ...body, [name]: 1 } }, 'invalid_request', `${name} as a number`)
          await refuses({ body: { ...body, [name]: 'a\u0000b' } }, 'invalid_request', `${name} with NUL`)
          const code = name === 'url' ? 'invalid_mcp_server' : 'invalid_request'
          await refuses({ body: { ...body, [name]: '' } }, code, `${name} empty`)
        }
      }
      for (const raw of ['', '{}', 'null']) {
        const put = await t.call('PUT', app, { raw })
        assert.equal(put.body.error.code, 'invalid_request', raw)
        const patched = await t.call('PATCH', at(slug), { raw })
        assert.ok(patched.status === 200 || patched.body.error.code === 'invalid_request', raw)
      }
      const nulls = { name: null, summary: null, secret: null, tool_changes: null }
      const cleared = await t.call('PATCH', at(slug), { body: nulls })
      assert.equal(
        cleared.body.error.code,
        'invalid_request',
        'null clears a field, but the name is required',
      )
      const updated = await t.call('PATCH', at(slug), { body: { secret: 'x' } })
      assert.equal(updated.body.error.param, 'secret', 'a server without authentication has no secret')
      for (const path of [at(slug, '/tools/check'), test]) {
        const typed = await t.call('POST', path, { raw: 'x', headers: { 'content-type': 'text/plain' } })
        assert.ok(typed.status < 500, path)
      }
      for (const more of [
        { header_name: 'host' },
        { header_name: 'Content-Length' },
        { header_name: 'mcp-session-id' },
        { header_name: 'a b' },
        { header_name: 'a\r\nb' },
        { header_prefix: 'a\r\nx: y' },
        { secret: 'a\r\nx: y' },
        { secret: '' },
        { url: 'javascript:alert(1)' },
        { url: 'file:///etc/passwd' },
      ]) {
        const body = {
          slug: newSlug(),
          url: plain.url,
          authentication: 'organization_secret',
          secret: 's',
          ...more,
        }
        const answer = await add(body)
        assert.equal(answer.status, 400, `${JSON.stringify(more)}: ${answer.text}`)
      }
      assert.equal(await everything(), earlier)
      assertNoCrashes()
    })

    it('with an Idempotency-Key are executed once', async () => {
      const headers = (key: string) => ({ 'idempotency-key': key })
      const body = { slug: newSlug(), name: 'Once', url: plain.url }
      const create = () => t.call('POST', CONNECTORS, { body, headers: headers('create') })
      const [first, again] = [await create(), await create()]
      assert.deepEqual([first.status, again.status, again.text === first.text], [201, 201, true])
      const reused = await t.call('POST', CONNECTORS, {
        body: { ...body, slug: newSlug() },
        headers: headers('create'),
      })
      assert.equal(reused.body.error.code, 'idempotency_key_reused')
      plain.tools = [{ name: 'look', description: 'Changed.' }]
      const check = () => t.call('POST', at(body.slug, '/tools/check'), { headers: headers('check') })
      const { pending } = (await check()).body
      plain.tools = [{ name: 'look', description: 'Changed again.' }]
      assert.equal((await check()).body.pending.hash, pending.hash, 'the server is not called again')
      const accept = () =>
        t.call('POST', at(body.slug, '/tools/accept'), {
          body: { hash: pending.hash },
          headers: headers('accept'),
        })
      const accepted = await Promise.all([accept(), accept(), accept()])
      assert.ok(accepted.some(({ status }) => status === 200))
      assert.ok(
        accepted.every(
          ({ status, body: error }) => status === 200 || error.error.code === 'idempotency_in_progress',
        ),
      )
      assert.equal((await accept()).status, 200)
    })
  })

  describe('in production', () => {
    let hosts: StagedHosts
    before(async () => {
      hosts = await stageHosts(['mcp.example'], {
        'inside.example': ['10.0.0.1'],
        'half.example': ['93.184.216.34', '127.0.0.1'],
        'metadata.example': ['169.254.169.254'],
      })
    })
    after(() => hosts.close())

    it('does not call internal addresses, plain HTTP URLs, URLs with credentials, or redirect targets', async () => {
      hosts.stage['https://mcp.example/redirect'] = {
        status: 307,
        headers: { location: 'https://mcp.example/mcp' },
      }
      const { features } = t.service
      const deps = { ...features, egress: hosts.egress, catalog: features.connectors.catalog }
      const create = (url: string, more = {}) =>
        createMcpConnector(deps, t.organization.id, { slug: newSlug(), name: 'x', url, ...more })
      for (const url of [
        plain.url,
        'http://mcp.example/mcp',
        'https://inside.example/mcp',
        'https://half.example/mcp',
        'https://metadata.example/mcp',
        'https://127.0.0.1/mcp',
        'https://[::ffff:10.0.0.1]/mcp',
        'https://2130706433/mcp',
        'https://user:password@mcp.example/mcp',
        'https://user@mcp.example/mcp',
      ])
        await assert.rejects(create(url), { code: 'invalid_mcp_server' }, url)
      assert.deepEqual(hosts.requests, [])
      const secret = { authentication: 'organization_secret', secret: 'must-not-travel' } as const
      await assert.rejects(create('https://mcp.example/redirect', secret), { code: 'invalid_mcp_server' })
      assert.ok(hosts.requests.length > 0)
      assert.ok(
        hosts.requests.every(url => url === 'https://mcp.example/redirect'),
        hosts.requests.join(),
      )
    })
  })

  describe('secrets', () => {
    const CANARY = 'canary-7f3a'
    const texts: string[] = []
    const recordText = (answer: Answer): Answer => {
      texts.push(answer.text)
      return answer
    }
    const recordPage = (page: Page): Page => {
      texts.push(page.html, page.url)
      return page
    }
    /** Returns the secrets of the request in its response. */
    const echo =
      (status: number): StepHandler =>
      (request, response) =>
        sendJson(
          response,
          {
            error: `${request.headers.authorization} ${request.body}`,
            error_description: `${request.headers.authorization} ${request.body}`,
            jsonrpc: '2.0',
            id: 1,
          },
          status,
        )

    it('are in no response, page, event, log line or column', async () => {
      const client = { client_id: 'by-hand', client_secret: `${CANARY}-client-secret` }
      recordText(await t.call('PUT', at('tight-sites', '/oauth-app'), { body: client }))
      recordText(await t.call('PUT', at('tight-sites', '/oauth-app'), { body: { ...client, extra: 1 } }))
      recordText(await t.call('GET', at('tight-sites', '/oauth-app')))

      hostile.handlers.token = (_, response) =>
        sendJson(response, {
          access_token: `${CANARY}-access`,
          refresh_token: `${CANARY}-refresh`,
          expires_in: 1,
        })
      const { slug } = recordText(await add({ slug: newSlug(), url: hostile.url, ...client })).body
      const { user, browser, page } = await open(slug)
      recordPage(page)
      hostile.handlers['mcp:initialize'] = echo(500)
      assert.match(recordPage(await browser.submit(page, /\/start$/)).url, /outcome=error/)
      const issueToken = hostile.handlers.token
      hostile.handlers.token = echo(400)
      recordPage(await browser.submit(page, /\/start$/))
      hostile.handlers.token = issueToken
      delete hostile.handlers['mcp:initialize']
      assert.match(recordPage(await browser.submit(page, /\/start$/)).url, /\/done/)
      const call = async () =>
        recordText(await t.mcp(user.id, 'tools/call', { name: `${slug}__look`, arguments: {} }))
      await call()
      for (const status of [200, 400, 401, 403, 500]) {
        hostile.handlers['mcp:tools/call'] = echo(status)
        await call()
      }
      hostile.handlers.token = echo(401)
      await call()
      hostile.handlers.token = issueToken
      const [{ credential_id }] = await stored(user.id)
      const path = `/api/v1/registered-users/${user.id}/credentials/${credential_id}`
      hostile.handlers['mcp:tools/list'] = echo(401)
      recordText(await t.call('POST', `${path}/test`))
      hostile.handlers.revoke = echo(500)
      recordText(await t.call('DELETE', path))

      plain.requiredHeader = ['authorization', `Bearer ${CANARY}-organization`]
      const own = { url: plain.url, authentication: 'organization_secret' }
      recordText(await add({ slug: newSlug(), ...own, secret: `${CANARY}-wrong` }))
      plain.tools = [{ name: 'look', description: `It is ${CANARY.slice(0, 4)}` }]
      const opened = recordText(await add({ slug: newSlug(), ...own, secret: `${CANARY}-organization` })).body
      recordText(await t.call('PATCH', at(opened.slug), { body: { secret: `${CANARY}-patched` } }))
      recordText(await t.call('POST', at(opened.slug, '/tools/check')))
      recordText(await t.mcp(user.id, 'tools/call', { name: `${opened.slug}__look`, arguments: {} }))
      recordText(await t.call('PATCH', at(opened.slug), { body: { secret: `${CANARY} not a header` } }))

      const users = await added({ url: hostile.url, authentication: 'user_secret' })
      const form = await open(users.slug)
      hostile.handlers['mcp:initialize'] = echo(500)
      recordPage(await form.browser.submit(form.page, /\/api-key$/, { secret: `${CANARY}-user` }))
      hostile.handlers = {}
      const done = recordPage(
        await form.browser.submit(form.page, /\/api-key$/, { secret: `${CANARY}-user` }),
      )
      assert.match(done.url, /\/done/)
      recordText(await t.call('GET', CONNECTORS))
      recordText(await t.call('GET', '/api/v1/openapi.json', { key: null }))

      assert.ok(texts.length > 25)
      for (const text of texts) assert.ok(!text.includes(CANARY), text.slice(0, 400))
      assert.ok(
        !t.logLines.some(line => line.includes(CANARY)),
        t.logLines.find(line => line.includes(CANARY)),
      )
      assert.ok(!JSON.stringify(await t.events()).includes(CANARY))
      const tables = await t.query<{ name: string }>(
        `select format('%I.%I', schemaname, tablename) as name from pg_tables
         where schemaname not in ('pg_catalog', 'information_schema')`,
      )
      const spellings = [
        CANARY,
        Buffer.from(CANARY).toString('hex'),
        Buffer.from(CANARY).toString('base64').slice(0, -2),
      ]
      for (const { name } of tables) {
        const rows = await t.query<{ text: string }>(`select row_to_json(x)::text as text from ${name} x`)
        const found = rows.find(({ text }) => spellings.some(spelling => text.includes(spelling)))
        assert.equal(found, undefined, `${name}: ${found?.text.slice(0, 300)}`)
      }
    })
  })
  it('GET /connectors reports shipped connectors, connector files and MCP servers as different sources', async () => {
    const { slug } = await added({ url: plain.url })
    const { data } = (await t.call('GET', `${CONNECTORS}?include=not_configured`)).body
    const sourceOf = (wanted: string) => data.find((one: any) => one.slug === wanted)?.source
    assert.deepEqual(
      [sourceOf('sandbox-notes'), sourceOf('tight-sites'), sourceOf(slug)],
      ['catalog', 'file', 'custom'],
    )
  })
})

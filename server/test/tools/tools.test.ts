import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { HOUR } from '../../src/core/duration.ts'
import { consentAtSandbox, createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

for (const engine of flowEngines) {
  describe(`tools on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await joinTestService(engine)
    })
    after(() => t.stop())

    const callNotes = (userId: string, name = 'list_notes', args: unknown = {}, options = {}) =>
      t.mcp(userId, 'tools/call', { name: `sandbox-notes__${name}`, arguments: args }, options)
    const link = async (userId: string, options = {}) =>
      linkNotes(createBrowserUser(), (await t.mint(userId)).magic_link_url, options)
    const records = (userId: string) =>
      t.query(
        'select outcome, counted, error_code, tool from tool_calls where registered_user_id = $1 order by id',
        [userId],
      )

    it('an MCP client lists, gets authenticate_meta, and succeeds after linking [mcp.list-and-call] [mcp.authenticate] [runtime.retry-succeeds]', async () => {
      const user = await t.createUser()
      const client = new Client({ name: 'test', version: '1' })
      const url = new URL(
        `${t.baseUrl}/api/v1/tool-packs/${t.organization.toolPackId}/registered-users/${user.id}/mcp`,
      )
      await client.connect(
        new StreamableHTTPClientTransport(url, {
          requestInit: { headers: { authorization: `Bearer ${t.organization.key}` } },
        }),
      )
      const { tools } = await client.listTools()
      assert.deepEqual(
        tools.map(tool => tool.name),
        [
          'sandbox-notes__create_note',
          'sandbox-notes__list_notes',
          'sandbox-vault__get_account',
          'sandbox-vault__list_items',
        ],
      )
      const first = await client.callTool({ name: 'sandbox-notes__list_notes', arguments: {} })
      const meta = first.structuredContent as Record<string, string>
      assert.equal(meta.type, 'authenticate_meta')
      await linkNotes(createBrowserUser(), meta.magic_link_url as string)
      const second = await client.callTool({ name: 'sandbox-notes__list_notes', arguments: {} })
      assert.equal((second.structuredContent as { notes: unknown[] }).notes.length, 3)
      await client.close()
    })

    it('authenticate_meta has all its fields, in content and structured content, and its link is locked [meta.payload] [mcp.authenticate]', async () => {
      const user = await t.createUser()
      const { result } = (await callNotes(user.id)).body
      assert.equal(result.isError, false)
      assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent)
      const meta = result.structuredContent
      assert.deepEqual(Object.keys(meta).toSorted(), [
        'Connector',
        'expires_at',
        'link_token',
        'magic_link_url',
        'message',
        'reason',
        'type',
      ])
      assert.deepEqual(
        [meta.type, meta.Connector, meta.reason],
        ['authenticate_meta', 'sandbox-notes', 'never_linked'],
      )
      assert.match(meta.link_token, /^cb_lnk_/)
      assert.ok(meta.message.includes(meta.magic_link_url))
      assert.doesNotMatch((await createBrowserUser().open(meta.magic_link_url)).html, /sandbox-vault/)
    })

    it('a success counts once; lists, failures, authenticate_meta and test keys never count [limit.counting]', async () => {
      const user = await t.createUser()
      await callNotes(user.id)
      await link(user.id)
      await t.mcp(user.id, 'tools/list')
      await callNotes(user.id)
      t.sandbox.script({ target: 'notes', behavior: 'status', status: 500 })
      await callNotes(user.id)
      await callNotes(user.id, 'create_note', { title: 1 })
      assert.deepEqual(await records(user.id), [
        { outcome: 'needs_auth', counted: false, error_code: 'never_linked', tool: 'list_notes' },
        { outcome: 'success', counted: true, error_code: null, tool: 'list_notes' },
        { outcome: 'error', counted: false, error_code: 'third_party_error', tool: 'list_notes' },
        { outcome: 'error', counted: false, error_code: 'invalid_arguments', tool: 'create_note' },
      ])
      const tester = await t.createUser({}, t.organization.testKey)
      await linkNotes(
        createBrowserUser(),
        (await t.mint(tester.id, {}, t.organization.testKey)).magic_link_url,
      )
      await callNotes(tester.id, 'list_notes', {}, { key: t.organization.testKey })
      assert.deepEqual(
        (await records(tester.id)).map(({ outcome, counted }) => [outcome, counted]),
        [['success', false]],
      )
    })

    it('the provider is called each time: no result is cached [limit.no-caching]', async () => {
      const user = await t.createUser()
      await link(user.id, { account: 'ben' })
      const earlier = t.sandbox.ledger.filter(({ kind }) => kind === 'notes.list').length
      await callNotes(user.id)
      await callNotes(user.id, 'create_note', { title: 'Fresh', text: 'ink' })
      const { result } = (await callNotes(user.id, 'list_notes', { query: 'Fresh' })).body
      assert.equal(result.structuredContent.notes[0].title, 'Fresh')
      const entries = t.sandbox.ledger.filter(({ kind }) => kind === 'notes.list').slice(earlier)
      assert.deepEqual(
        entries.map(({ account }) => account),
        ['ben', 'ben'],
      )
    })

    it('an expiring token is refreshed once for many callers, and the new one is used [credential.refreshed-once]', async () => {
      const user = await t.createUser()
      await link(user.id)
      await t.moveClock(2 * HOUR)
      const earlier = t.sandbox.ledger.filter(({ kind }) => kind === 'refresh').length
      const answers = await Promise.all(Array.from({ length: 20 }, () => callNotes(user.id)))
      for (const { body, text } of answers) assert.ok(body.result.structuredContent.notes, text)
      assert.equal(t.sandbox.ledger.filter(({ kind }) => kind === 'refresh').length - earlier, 1)
      const [row] = await t.query('select version, status from credentials where registered_user_id = $1', [
        user.id,
      ])
      assert.deepEqual(row, { version: 2, status: 'active' })
    })

    it('access that the provider states to be revoked: authenticate_meta, and linking again works', async () => {
      const user = await t.createUser()
      await link(user.id)
      const body = { error: 'access_revoked' }
      t.sandbox.script({ target: 'notes', behavior: 'status', status: 401, body, times: 2 })
      const { result } = (await callNotes(user.id)).body
      assert.deepEqual(
        [result.structuredContent.type, result.structuredContent.reason],
        ['authenticate_meta', 'revoked'],
      )
      const [row] = await t.query('select status from credentials where registered_user_id = $1', [user.id])
      assert.equal(row.status, 'needs_reauth')
      assert.equal((await callNotes(user.id)).body.result.structuredContent.type, 'authenticate_meta')
      await linkNotes(createBrowserUser(), result.structuredContent.magic_link_url)
      assert.ok((await callNotes(user.id)).body.result.structuredContent.notes)
    })

    it('a missing scope is requested before the provider is called', async () => {
      const user = await t.createUser()
      const browser = createBrowserUser()
      const landing = await browser.open(
        (await t.mint(user.id, { Connector: 'sandbox-notes' })).magic_link_url,
      )
      await consentAtSandbox(browser, await browser.submit(landing, /\/start$/), { scopes: ['notes:read'] })
      assert.ok((await callNotes(user.id)).body.result.structuredContent.notes)
      const created = (await callNotes(user.id, 'create_note', { title: 'x', text: 'y' })).body.result
        .structuredContent
      assert.deepEqual([created.type, created.reason], ['authenticate_meta', 'insufficient_scope'])
    })

    it('code_only: a link minted at runtime redirects to the application’s callback', async () => {
      const organization = await t.createOrganization('Strict')
      const user = await t.createUser({}, organization.key)
      await t.allowOrigin('https://app.example.com', organization.key)
      await t.call('PATCH', '/api/v1/organization', {
        key: organization.key,
        body: { link_binding: 'code_only', runtime_callback_url: 'https://app.example.com/runtime' },
      })
      assert.equal(
        (await t.call('POST', `/api/v1/registered-users/${user.id}/link-token`, { key: organization.key }))
          .body.error.code,
        'code_mode_required',
      )
      const setRuntime = (runtime_callback_url: string | null) =>
        t.call('PATCH', '/api/v1/organization', { key: organization.key, body: { runtime_callback_url } })
      for (const [address, code] of [
        ['https://app.example.com/runtime?state=1', 'reserved_callback_parameter'],
        ['https://app.example.com/runtime?%63ode=1', 'reserved_callback_parameter'],
        ['javascript:alert(1)', 'unauthorized_origin'],
        ['not a url', 'invalid_callback_url'],
      ] as const) {
        const { status, body } = await setRuntime(address)
        assert.deepEqual(
          [status, body.error?.code, body.error?.param],
          [400, code, 'runtime_callback_url'],
          address,
        )
      }
      assert.equal((await setRuntime(null)).body.runtime_callback_url, null)
      const kept = await setRuntime('https://app.example.com/runtime?own=1')
      assert.equal(kept.body.runtime_callback_url, 'https://app.example.com/runtime?own=1')
      await setRuntime('https://app.example.com/runtime')
      const meta = (
        await callNotes(user.id, 'list_notes', {}, { key: organization.key, packId: organization.toolPackId })
      ).body.result.structuredContent
      const browser = createBrowserUser()
      await linkNotes(browser, meta.magic_link_url)
      const callback = new URL(browser.lastLocation as string)
      assert.equal(callback.origin + callback.pathname, 'https://app.example.com/runtime')
      assert.ok(callback.searchParams.get('state'))
      const confirmed = await t.call('POST', '/api/v1/link-token/confirm', {
        key: organization.key,
        body: { code: callback.searchParams.get('code') },
      })
      assert.equal(confirmed.status, 200)
    })

    it('code_only applies to links that were minted before', async () => {
      const organization = await t.createOrganization('Strict later')
      const { key } = organization
      const user = await t.createUser({}, key)
      const mint = () => t.mint(user.id, { Connector: 'sandbox-notes' }, key)
      const [unopened, atProvider] = [await mint(), await mint()]
      const browser = createBrowserUser()
      const signIn = await browser.submit(await browser.open(atProvider.magic_link_url), /\/start$/)
      await t.call('PATCH', '/api/v1/organization', { key, body: { link_binding: 'code_only' } })
      const late = await consentAtSandbox(browser, signIn)
      assert.equal(late.status, 410, late.title)
      assert.equal((await createBrowserUser().open(unopened.magic_link_url)).status, 410)
      const read = await t.call('GET', `/api/v1/registered-users/${user.id}`, { key })
      assert.deepEqual(read.body.linked_connectors, [])
      const [revocation] = await t.query('select reason from revocations where registered_user_id = $1', [
        user.id,
      ])
      assert.equal(revocation?.reason, 'session_over', 'the new token is revoked')
      await t.call('PATCH', '/api/v1/organization', { key, body: { link_binding: 'interstitial' } })
      await linkNotes(createBrowserUser(), unopened.magic_link_url)
    })

    it('code_only applies to a link whose token is being obtained when it is enabled', async () => {
      const { key } = await t.createOrganization('Strict meanwhile')
      const user = await t.createUser({}, key)
      const { magic_link_url } = await t.mint(user.id, { Connector: 'sandbox-notes' }, key)
      const browser = createBrowserUser()
      const signIn = await browser.submit(await browser.open(magic_link_url), /\/start$/)
      const issued = () => t.sandbox.ledger.filter(({ kind }) => kind === 'token').length
      const earlier = issued()
      // The session was open when it was read. The token is issued afterwards, and then the account is looked up.
      const release = t.sandbox.hold('notes')
      const returning = consentAtSandbox(browser, signIn)
      await eventually(async () => assert.equal(issued(), earlier + 1))
      await t.call('PATCH', '/api/v1/organization', { key, body: { link_binding: 'code_only' } })
      release()
      assert.equal((await returning).status, 410)
      const read = await t.call('GET', `/api/v1/registered-users/${user.id}`, { key })
      assert.deepEqual(read.body.linked_connectors, [])
      const revoked = await t.query('select reason from revocations where registered_user_id = $1', [user.id])
      assert.deepEqual(revoked, [{ reason: 'session_over' }])
    })

    it('provider failures have distinct codes, without a stack or a secret', async () => {
      const user = await t.createUser()
      await link(user.id)
      const faults = [
        [{ behavior: 'status', status: 422 }, 'third_party_rejected'],
        [{ behavior: 'status', status: 404 }, 'third_party_not_found'],
        [{ behavior: 'status', status: 429 }, 'third_party_rate_limited'],
        [{ behavior: 'status', status: 503, times: 2 }, 'third_party_error'],
        [{ behavior: 'malformed' }, 'third_party_error'],
        [{ behavior: 'reset', times: 2 }, 'third_party_unavailable'],
        [{ behavior: 'huge', bytes: 3_000_000 }, 'third_party_error'],
        [{ behavior: 'redirect', location: 'http://169.254.169.254/' }, 'third_party_error'],
      ] as const
      for (const [fault, code] of faults) {
        t.sandbox.script({ target: 'notes', ...fault })
        const { result } = (await callNotes(user.id)).body
        assert.deepEqual(
          [result.isError, result.structuredContent.error.code],
          [true, code],
          JSON.stringify(fault),
        )
        assert.doesNotMatch(result.content[0].text, /\bat \w+.*:\d+:\d+|node_modules/)
      }
    })

    it('invalid_arguments lists all problems and the known fields', async () => {
      const user = await t.createUser()
      await link(user.id)
      const { error } = (await callNotes(user.id, 'list_notes', { limit: 'x', qeury: 1, bar: 2 })).body.result
        .structuredContent
      assert.deepEqual(
        [error.code, error.type, error.param],
        ['invalid_arguments', 'validation_error', 'limit'],
      )
      assert.deepEqual(error.errors, [
        { path: 'limit', message: 'must be integer' },
        { path: 'qeury', message: 'is not an argument of this tool', known_fields: ['query', 'limit'] },
        { path: 'bar', message: 'is not an argument of this tool', known_fields: ['query', 'limit'] },
      ])
      assert.equal(
        error.message,
        '3 problems: "limit" must be integer. "qeury" is not an argument of this tool (known: query, limit). "bar" is not an argument of this tool (known: query, limit).',
      )
    })

    it('invalid JSON-RPC gets a JSON-RPC error', async () => {
      const user = await t.createUser()
      const post = (raw: string) =>
        t.call('POST', `/api/v1/tool-packs/${t.organization.toolPackId}/registered-users/${user.id}/mcp`, {
          raw,
        })
      const errorOf = async (raw: string) => {
        const { status, body } = await post(raw)
        return [status, body.jsonrpc, body.id, body.error.code, body.error.data?.code]
      }
      assert.deepEqual(await errorOf('{'), [400, '2.0', null, -32700, 'invalid_json'])
      const huge = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', x: 'x'.repeat(300_000) })
      assert.deepEqual(await errorOf(huge), [413, '2.0', null, -32600, 'body_too_large'])
      const proto =
        '{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"__proto__":1}}}'
      assert.deepEqual(await errorOf(proto), [400, '2.0', null, -32600, 'invalid_request'])
      assert.match((await post(proto)).body.error.message, /"__proto__"/)
      assert.equal((await post('[]')).body.error.code, -32600)
      assert.equal((await post('{"jsonrpc":"1.0"}')).body.error.code, -32600)
      assert.equal((await post('{"jsonrpc":"2.0","id":1,"method":"no/such"}')).body.error.code, -32601)
      assert.equal(
        (await post('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":1}}')).body.error.code,
        -32602,
      )
      assert.equal((await post('{"jsonrpc":"2.0","method":"notifications/initialized"}')).status, 202)
      const unknown = (await post('{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"nope"}}'))
        .body.result
      assert.deepEqual([unknown.isError, unknown.structuredContent.error.code], [true, 'tool_not_found'])
      // This pack does not store results, so the tool does not exist, whatever its arguments.
      for (const args of ['{}', '{"handle":7}', '{"handle":"x","more":1}']) {
        const params = `{"name":"fetch_result","arguments":${args}}`
        const { result } = (await post(`{"jsonrpc":"2.0","id":1,"method":"tools/call","params":${params}}`))
          .body
        assert.equal(result.structuredContent.error.code, 'tool_not_found', args)
      }
      const batch = (
        await post('[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","id":2,"method":"ping"}]')
      ).body
      assert.deepEqual(
        batch.map(({ id }: { id: number }) => id),
        [1, 2],
      )
      const get = await t.call(
        'GET',
        `/api/v1/tool-packs/${t.organization.toolPackId}/registered-users/${user.id}/mcp`,
      )
      assert.equal(get.status, 400)
      const head = await t.call(
        'DELETE',
        `/api/v1/tool-packs/${t.organization.toolPackId}/registered-users/${user.id}/mcp`,
      )
      assert.deepEqual([head.status, head.headers.get('allow')], [405, 'GET, POST'])
    })

    it('foreign keys, packs and users are rejected before anything runs', async () => {
      const other = await t.createOrganization('Other')
      const user = await t.createUser()
      assert.equal((await t.mcp(user.id, 'tools/list', {}, { key: other.key })).status, 404)
      assert.equal((await t.mcp(user.id, 'tools/list', {}, { packId: other.toolPackId })).status, 404)
      assert.equal((await t.mcp(user.id, 'tools/list', {}, { key: t.organization.testKey })).status, 404)
      assert.equal((await t.mcp(user.id, 'tools/list', {}, { key: `${t.organization.key}x` })).status, 401)
      const unknownTool = { name: 'no-such__tool', arguments: {} }
      assert.equal((await t.mcp(user.id, 'tools/call', unknownTool, { key: other.key })).status, 404)
      const revoked = 'cb_sk_live_0000000000000000000000000000000000000000000'
      assert.equal((await t.mcp(user.id, 'tools/call', unknownTool, { key: revoked })).status, 401)
      assert.equal(
        (await callNotes(user.id, 'list_notes', {}, { query: '?connectors=sandbox-vault' })).body.result
          .structuredContent.error.code,
        'tool_not_found',
      )
      assert.deepEqual(
        (await t.mcp(user.id, 'tools/list', {}, { query: '?authenticated_only=true' })).body.result.tools,
        [],
      )
    })
  })
}

describe('sealed at rest', () => {
  it('no credential is readable in the database, and a row moved to another user cannot be decrypted [credential.sealed-at-rest]', async () => {
    const t = await joinTestService()
    const [ana, ben] = [await t.createUser(), await t.createUser()]
    for (const [user, account] of [
      [ana, 'ana'],
      [ben, 'ben'],
    ] as const) {
      await linkNotes(createBrowserUser(), (await t.mint(user.id)).magic_link_url, { account })
    }
    const [row] = await t.query('select sealed from credentials where registered_user_id = $1', [ana.id])
    assert.equal(row.sealed.includes('access_token'), false)
    await t.query(
      'update credentials c set sealed = o.sealed, secret_id = o.secret_id from credentials o where c.registered_user_id = $1 and o.registered_user_id = $2',
      [ben.id, ana.id],
    )
    const { result } = (
      await t.mcp(ben.id, 'tools/call', { name: 'sandbox-notes__list_notes', arguments: {} })
    ).body
    assert.deepEqual([result.isError, result.structuredContent.error.code], [true, 'internal_error'])
    await t.stop()
  })
})

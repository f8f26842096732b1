import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { findAuthenticateMeta } from '@carabiner/contract'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { type StubMcp, startStubMcp } from '../support/stub-mcp.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const REQUEST = 'sandbox-notes__request'

describe('raw requests', () => {
  let t: TestService
  let server: StubMcp
  before(async () => {
    t = await joinTestService('postgres')
    server = await startStubMcp()
    const body = { name: 'Work', slug: 'work', url: server.url }
    assert.equal((await t.call('POST', '/api/v1/connectors', { body })).status, 201)
  })
  after(async () => {
    await t?.stop()
    await server?.stop()
  })

  const createPack = async (requests: object, tools: string[] | null = null): Promise<string> => {
    const created = await t.call('POST', '/api/v1/tool-packs', {
      body: { name: 'Raw', connectors: [{ slug: 'sandbox-notes', tools, requests }, 'sandbox-vault'] },
    })
    assert.equal(created.status, 201, created.text)
    return created.body.id
  }
  const linkedUser = async () => {
    const user = await t.createUser()
    await linkNotes(
      createBrowserUser(),
      (await t.mint(user.id, { connector_slug: 'sandbox-notes' })).magic_link_url,
    )
    return user.id
  }
  const call = async (userId: string, packId: string, args: object, name = REQUEST): Promise<any> =>
    (await t.mcp(userId, 'tools/call', { name, arguments: args }, { packId })).body.result
  const errorOf = (result: any) => {
    assert.equal(result.isError, true, JSON.stringify(result))
    return [result.structuredContent.error.code, result.structuredContent.error.param]
  }
  const requestsAtProvider = () => t.sandbox.ledger.filter(({ kind }) => kind.startsWith('notes.')).length

  it('an MCP client lists the tool, gets a link, and reads the API with the user’s account', async () => {
    const packId = await createPack({ paths: ['/notes/api/*'] })
    const user = await t.createUser()
    const client = new Client({ name: 'test', version: '1' })
    const url = new URL(`${t.baseUrl}/api/v1/tool-packs/${packId}/registered-users/${user.id}/mcp`)
    const headers = { authorization: `Bearer ${t.organization.key}` }
    await client.connect(new StreamableHTTPClientTransport(url, { requestInit: { headers } }))
    const tool = (await client.listTools()).tools.find(({ name }) => name === REQUEST)
    assert.equal(tool?.annotations?.readOnlyHint, true)
    assert.deepEqual(Object.keys(tool?.inputSchema.properties ?? {}), ['method', 'path', 'query'])
    const me = { name: REQUEST, arguments: { path: '/notes/api/me' } }
    const meta = findAuthenticateMeta(await client.callTool(me))
    assert.equal(meta?.Connector, 'sandbox-notes')
    await linkNotes(createBrowserUser(), meta?.magic_link_url ?? '')
    const answered = (await client.callTool(me)) as any
    assert.match(answered.structuredContent.email, /@/)
    const listed = (await client.callTool({
      name: REQUEST,
      arguments: { method: 'GET', path: '/notes/api/notes', query: { limit: 1 } },
    })) as any
    assert.equal(listed.structuredContent.notes.length, 1)
    const records = await t.query(
      'select connector_slug, tool, outcome, counted from tool_calls where registered_user_id = $1 order by started_at, id',
      [user.id],
    )
    assert.deepEqual(
      records.map(({ connector_slug, tool: name, outcome, counted }) => [
        connector_slug,
        name,
        outcome,
        counted,
      ]),
      [
        ['sandbox-notes', 'request', 'needs_auth', false],
        ['sandbox-notes', 'request', 'success', true],
        ['sandbox-notes', 'request', 'success', true],
      ],
    )
    await client.close()
  })

  it('cannot leave the patterns, the methods or the host, and nothing is sent', async () => {
    const packId = await createPack({ paths: ['/notes/api/notes'] }, ['list_notes'])
    const userId = await linkedUser()
    const previously = requestsAtProvider()
    const evil = new URL(server.url).host
    for (const path of [
      '/notes/api/me',
      '/notes/api/notes/../me',
      '/notes/api/notes/%2e%2e/me',
      '/notes/api/notes%2f..%2fme',
      '/notes/api/notes/..;/me',
      '/notes/api/notes?x=1',
      '/notes/api/notes#x',
      '//notes/api/notes',
      `//${evil}/notes/api/notes`,
      `/\\${evil}/notes/api/notes`,
      `http://${evil}/notes/api/notes`,
      `@${evil}/notes/api/notes`,
      `.${evil}/notes/api/notes`,
      ':80/notes/api/notes',
      '/oauth/token',
      '/notes/api/notes\r\nx-a: b',
      '',
    ])
      assert.deepEqual(errorOf(await call(userId, packId, { path })), ['invalid_arguments', 'path'], path)
    for (const method of ['POST', 'DELETE', 'TRACE', 'get'])
      assert.deepEqual(
        errorOf(await call(userId, packId, { path: '/notes/api/notes', method })),
        ['invalid_arguments', 'method'],
        method,
      )
    for (const extra of [{ headers: { host: evil } }, { body: { title: 'x' } }, { url: server.url }])
      assert.equal(
        errorOf(await call(userId, packId, { path: '/notes/api/notes', ...extra }))[0],
        'invalid_arguments',
      )
    assert.equal(requestsAtProvider(), previously)
    assert.deepEqual(server.received, [])
    assert.equal((await call(userId, packId, { path: '/notes/api/notes' })).isError, false)
    assert.equal(requestsAtProvider(), previously + 1)
  })

  it('writes where the pack allows it, with the security rules applied to body and response', async () => {
    const packId = await createPack({ methods: ['GET', 'POST'], paths: ['/notes/api/**'] })
    const userId = await linkedUser()
    const rules = await t.call('PUT', `/api/v1/tool-packs/${packId}/security-rules`, {
      body: {
        custom_rules: [
          { label: 'PROJECT', pattern: 'bluebird', inbound_action: 'block' },
          { label: 'STAFF', pattern: 'EMP-\\d{4}', outbound_action: 'redact' },
        ],
      },
    })
    assert.equal(rules.status, 200, rules.text)
    const create = (title: string) =>
      call(userId, packId, {
        method: 'POST',
        path: '/notes/api/notes',
        body: { title, text: '{title} stays' },
      })
    assert.equal(errorOf(await create('about bluebird'))[0], 'security_rule_blocked')
    const created = await create('for EMP-1234')
    assert.equal(created.structuredContent.title, 'for [REDACTED:STAFF]')
    assert.equal(created.structuredContent.text, '{title} stays')
    const missing = await call(userId, packId, { path: '/notes/api/none' })
    assert.equal(errorOf(missing)[0], 'third_party_not_found')
  })

  it('exists only where the pack allows it, and Explain agrees', async () => {
    const packId = await createPack({ paths: ['/notes/api/*'] }, [])
    const userId = await linkedUser()
    const names = (await t.mcp(userId, 'tools/list', {}, { packId })).body.result.tools.map(
      ({ name }: { name: string }) => name,
    )
    assert.deepEqual(names, [REQUEST, 'sandbox-vault__get_account', 'sandbox-vault__list_items'])
    const args = { path: '/notes/api/me' }
    assert.equal((await call(userId, packId, args)).isError, false)
    assert.equal(errorOf(await call(userId, packId, args, 'sandbox-vault__request'))[0], 'tool_not_found')
    assert.equal(errorOf(await call(userId, packId, args, 'work__request'))[0], 'tool_not_found')
    assert.equal(errorOf(await call(userId, t.organization.toolPackId, args))[0], 'tool_not_found')
    const explain = async (tool: string, of: string, given: object) =>
      (
        await t.call('POST', '/api/v1/explain', {
          body: { registered_user_id: userId, tool_pack_id: of, tool, arguments: given },
        })
      ).body
    assert.equal((await explain(REQUEST, packId, args)).allowed, true)
    assert.equal((await explain(REQUEST, packId, { path: '/x' })).first_failed, 'arguments')
    assert.equal((await explain(REQUEST, t.organization.toolPackId, args)).first_failed, 'tool')
    const patched = await t.call('PATCH', `/api/v1/tool-packs/${packId}`, {
      body: { connectors: ['sandbox-notes'] },
    })
    assert.deepEqual(patched.body.connectors, [{ slug: 'sandbox-notes', tools: null }])
    assert.equal(errorOf(await call(userId, packId, args))[0], 'tool_not_found')
  })

  it('two accounts: the tool offers them, also through call_tool, and calls only the one that is named', async () => {
    const packId = await createPack({ paths: ['/notes/api/*'] })
    await t.call('PATCH', `/api/v1/tool-packs/${packId}`, {
      body: { serving: 'search', favorites: [REQUEST] },
    })
    const { id: userId } = await t.createUser()
    for (const account of ['ana', 'ben'] as const) {
      const { magic_link_url: url } = await t.mint(userId, { connector: 'sandbox-notes', account: 'add' })
      await linkNotes(createBrowserUser(), url, { account })
    }
    const { tools } = (await t.mcp(userId, 'tools/list', {}, { packId })).body.result
    const { inputSchema } = tools.find(({ name }: { name: string }) => name === REQUEST)
    assert.deepEqual(inputSchema.properties.carabiner_account.enum, ['ana@example.com', 'ben@example.com'])
    const args = { path: '/notes/api/me' }
    const named = { ...args, carabiner_account: 'ben@example.com' }
    assert.equal(errorOf(await call(userId, packId, args))[0], 'account_required')
    assert.equal((await call(userId, packId, named)).structuredContent.email, 'ben@example.com')
    const through = (given: object) => call(userId, packId, { name: REQUEST, arguments: given }, 'call_tool')
    assert.equal(errorOf(await through(args))[0], 'account_required')
    assert.equal((await through(named)).structuredContent.email, 'ben@example.com')
  })

  it('is validated when the pack is saved', async () => {
    const save = async (connector: object) => {
      const answer = await t.call('POST', '/api/v1/tool-packs', {
        body: { name: 'Bad', connectors: [connector] },
      })
      return [answer.status, answer.body.error?.code, answer.body.error?.param]
    }
    const bad = (requests: object, slug = 'sandbox-notes') => save({ slug, requests })
    const at = 'connectors.0.requests'
    assert.deepEqual(await bad({ paths: ['/a', '/a/**/b'] }), [400, 'invalid_tool_choice', `${at}.paths.1`])
    assert.deepEqual(await bad({ paths: ['/../x'] }), [400, 'invalid_tool_choice', `${at}.paths.0`])
    assert.deepEqual(await bad({ paths: ['/x'] }, 'work'), [400, 'invalid_tool_choice', at])
    for (const requests of [
      {},
      { paths: [] },
      { paths: ['/a'], methods: [] },
      { paths: ['/a'], methods: ['TRACE'] },
    ])
      assert.equal((await bad(requests))[1], 'invalid_request', JSON.stringify(requests))
  })
})

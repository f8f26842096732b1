import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { signInPerson } from '../support/person-session.ts'
import { sendRawRequest, statelessRequest } from '../support/raw-mcp.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

type ToolResult = { isError: boolean; structuredContent: any; content: { text: string }[] }

let t: TestService
before(async () => {
  t = await joinTestService()
})
after(() => t.stop())

const address = (query = '') => `/api/v1/mcp${query}`

const rpc = async (
  method: string,
  params?: unknown,
  options: { query?: string; key?: string | null; headers?: Record<string, string> } = {},
) => {
  const { query, ...rest } = options
  return t.call('POST', address(query), { ...rest, body: { jsonrpc: '2.0', id: 1, method, params } })
}

const callTool = async (
  name: string,
  args: Record<string, unknown> = {},
  options: Parameters<typeof rpc>[2] = {},
): Promise<ToolResult> => {
  const { body } = await rpc('tools/call', { name, arguments: args }, options)
  assert.ok(body.result, JSON.stringify(body))
  return body.result
}

const WRITE = { query: '?access=write' }

/** A new tool is added here on purpose, because its results become part of a model's context. */
const READING = [
  'explain_tool_call',
  'get_link_session',
  'get_policy',
  'get_registered_user',
  'get_security_rules',
  'get_tool_call',
  'get_tool_pack',
  'get_usage',
  'list_approvals',
  'list_audit_entries',
  'list_connections',
  'list_connectors',
  'list_events',
  'list_link_sessions',
  'list_policy_rules',
  'list_registered_users',
  'list_rule_violations',
  'list_tool_calls',
  'list_tool_pack_tools',
  'list_tool_packs',
  'list_webhook_deliveries',
  'list_webhook_endpoints',
  'search_connector_tools',
  'test_callback_url',
  'test_security_rules',
]
const WRITING = [
  'create_link',
  'create_tool_pack',
  'pause_connection',
  'resume_connection',
  'save_registered_user',
  'test_connection',
  'update_tool_pack',
]

describe('management over MCP: the endpoint', () => {
  it('the official client lists the tools that only read, and explains a call that lacks a credential', async () => {
    const user = await t.createUser()
    const client = new Client({ name: 'test', version: '1' })
    await client.connect(
      new StreamableHTTPClientTransport(new URL(t.baseUrl + address()), {
        requestInit: { headers: { authorization: `Bearer ${t.organization.key}` } },
      }),
    )
    const { tools } = await client.listTools()
    assert.deepEqual(tools.map(({ name }) => name).toSorted(), READING)
    assert.ok(tools.every(({ annotations }) => annotations?.readOnlyHint === true))
    const explained = await client.callTool({
      name: 'explain_tool_call',
      arguments: { registered_user_id: user.id, tool: 'sandbox-notes__list_notes' },
    })
    assert.match(JSON.stringify(explained.structuredContent), /authenticate|connect/i)
    await linkNotes(
      createBrowserUser(),
      (await t.mint(user.id, { connector: 'sandbox-notes' })).magic_link_url,
    )
    const connections = await client.callTool({
      name: 'list_connections',
      arguments: { registered_user_id: user.id },
    })
    assert.equal((connections.structuredContent as any).data[0].connector_slug, 'sandbox-notes')
    await client.close()
  })

  it('revision 2026-07-28: discovery, the list and a call work without a handshake', async () => {
    for (const [method, params] of [
      ['server/discover', {}],
      ['tools/list', {}],
      ['tools/call', { name: 'list_connectors', arguments: {} }],
    ] as const) {
      const answer = await sendRawRequest(
        t.baseUrl + address(),
        t.organization.key,
        statelessRequest(method, params),
      )
      const { result } = await answer.until(() => true)
      assert.equal(result.resultType, 'complete', method)
    }
  })

  it('every tool has the arguments of its API request, and the descriptions of the API', async () => {
    const { body } = await rpc('tools/list', {}, WRITE)
    assert.deepEqual(
      body.result.tools.map(({ name }: { name: string }) => name).toSorted(),
      [...READING, ...WRITING].toSorted(),
    )
    for (const { name, description, inputSchema } of body.result.tools) {
      assert.ok(description.length > 10, name)
      assert.equal(inputSchema.type, 'object', name)
      for (const [argument, schema] of Object.entries<{
        description?: string
        anyOf?: { description?: string }[]
      }>(inputSchema.properties))
        assert.ok(
          [schema, ...(schema.anyOf ?? [])].some(each => each.description),
          `${name}: ${argument}`,
        )
      assert.equal(inputSchema.additionalProperties, false, name)
      assert.ok(!('id' in inputSchema.properties), `${name} names what its ID belongs to`)
      for (const required of inputSchema.required) assert.ok(required in inputSchema.properties, name)
    }
  })

  it('is also available under /api, and a GET is not a stream', async () => {
    const listed = await t.call('POST', '/api/mcp', {
      body: { jsonrpc: '2.0', id: 1, method: 'tools/list' },
    })
    assert.ok(listed.body.result.tools.length > 20)
    assert.equal((await t.call('GET', address())).status, 405)
  })

  it('answers malformed, unknown and deeply nested messages with JSON-RPC errors', async () => {
    assert.equal((await t.call('POST', address(), { raw: '{' })).body.error.code, -32700)
    assert.equal((await t.call('POST', address(), { body: [] })).body.error.code, -32600)
    assert.equal((await t.call('POST', address(), { body: { jsonrpc: '1.0' } })).body.error.code, -32600)
    const nested = JSON.parse(`${'['.repeat(300)}${']'.repeat(300)}`)
    assert.equal((await rpc('ping', { nested })).body.error.code, -32600)
    assert.equal((await rpc('resources/list')).body.error.code, -32601)
    assert.equal((await rpc('constructor')).body.error.code, -32601)
    assert.equal((await rpc('tools/call', { name: 1 })).body.error.code, -32602)
    assert.equal((await rpc('tools/call', { name: 'no_such_tool' })).body.error.code, -32602)
    assert.equal((await rpc('ping', {}, { query: '?access=admin' })).status, 400)
    const note = { jsonrpc: '2.0', method: 'notifications/initialized' }
    assert.equal((await t.call('POST', address(), { body: note })).status, 202)
  })
})

describe('management over MCP: access', () => {
  it('a read-only connection neither lists nor runs a tool that changes data', async () => {
    const { body } = await rpc('tools/call', { name: 'create_tool_pack', arguments: { name: 'Agents' } })
    assert.equal(body.error.code, -32602)
    assert.match(body.error.message, /\?access=write/)
    const { body: packs } = await t.call('GET', '/api/v1/tool-packs')
    assert.ok(!packs.data.some(({ name }: { name: string }) => name === 'Agents'))
  })

  it('with access=write, creates a user, a Tool Pack and a link, recorded in the audit trail', async () => {
    const user = await callTool('save_registered_user', { origin_user_id: 'mcp-1' }, WRITE)
    const pack = await callTool(
      'create_tool_pack',
      { name: 'From MCP', connectors: [{ slug: 'sandbox-notes' }] },
      WRITE,
    )
    assert.equal(pack.isError, false, JSON.stringify(pack))
    const link = await callTool(
      'create_link',
      { registered_user_id: user.structuredContent.id, connector: 'sandbox-notes' },
      WRITE,
    )
    assert.match(link.structuredContent.magic_link_url, /^http/)
    assert.ok(!('link_token' in link.structuredContent), 'the token is only in the link')
    const { structuredContent } = await callTool('list_audit_entries', { limit: 5 })
    const entry = structuredContent.data.find(({ action }: any) => action === 'tool_pack.created')
    assert.match(JSON.stringify(entry), /carabiner-management-mcp/)
  })

  it('a model sees the origin of a webhook URL, and neither path nor query', async () => {
    const url = 'http://127.0.0.1:9/T0/secret-path?token=secret'
    assert.equal((await t.call('POST', '/api/v1/webhook-endpoints', { body: { url } })).status, 201)
    const result = await callTool('list_webhook_endpoints')
    assert.equal(result.structuredContent.data[0].url, 'http://127.0.0.1:9/…')
    assert.doesNotMatch(JSON.stringify(result), /secret-path|token=/)
  })

  it('needs an API key of the organization', async () => {
    assert.equal((await rpc('tools/list', {}, { key: null })).status, 401)
    assert.equal((await rpc('tools/list', {}, { key: 'cb_live_wrong' })).status, 401)
    const user = await t.createUser()
    const { body } = await t.call('POST', `/api/v1/registered-users/${user.id}/mcp-keys`, {
      body: { name: 'laptop' },
    })
    assert.equal((await rpc('tools/list', {}, { key: body.key })).body.error.code, 'mcp_key_not_accepted')
  })

  it('a page of another site is rejected', async () => {
    const { status } = await rpc('tools/list', {}, { headers: { origin: 'https://evil.example' } })
    assert.equal(status, 403)
  })

  it('a test key reads test users only, and must not create a Tool Pack', async () => {
    const user = await t.createUser()
    const key = { key: t.organization.testKey }
    const missing = await callTool('get_registered_user', { registered_user_id: user.id }, key)
    assert.equal(missing.structuredContent.error.code, 'registered_user_not_found')
    const denied = await callTool('create_tool_pack', { name: 'X' }, { ...key, ...WRITE })
    assert.equal(denied.structuredContent.error.code, 'production_key_required')
  })

  it('another organization cannot read a user', async () => {
    const user = await t.createUser()
    const other = await t.createOrganization('Other')
    const result = await callTool('get_registered_user', { registered_user_id: user.id }, { key: other.key })
    assert.equal(result.isError, true)
    assert.equal(result.structuredContent.error.code, 'registered_user_not_found')
  })

  it('a member uses it with the session of the dashboard, within the permissions of the role', async () => {
    const member = await signInPerson(t, { role: 'read_only' })
    const call = async (name: string, args: object) =>
      (
        await member.call('POST', address('?access=write'), {
          body: { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: args } },
        })
      ).body.result as ToolResult
    assert.equal((await call('list_connectors', {})).isError, false)
    const denied = await call('create_tool_pack', { name: 'Mine' })
    assert.equal(denied.structuredContent.error.code, 'permission_denied')
  })
})

describe('management over MCP: arguments', () => {
  it('a path argument cannot address another route', async () => {
    for (const id of [
      '../organization',
      '..',
      '.',
      '%2e%2e',
      'a/b',
      'a?b=c',
      '',
      'a\0b',
      7,
      null,
      { a: 1 },
    ]) {
      const result = await callTool('get_registered_user', { registered_user_id: id })
      assert.equal(result.isError, true, JSON.stringify(id))
      assert.equal(result.structuredContent.error.code, 'invalid_request', JSON.stringify(id))
      assert.equal(result.structuredContent.error.param, 'registered_user_id', JSON.stringify(id))
    }
  })

  it('an unknown or missing argument is an error that names it', async () => {
    const unknown = await callTool('list_connectors', { colour: 'red' })
    assert.equal(unknown.structuredContent.error.code, 'unknown_field')
    assert.match(unknown.structuredContent.error.message, /colour/)
    const missing = await callTool('get_tool_pack', {})
    assert.match(missing.structuredContent.error.message, /"tool_pack_id" is required/)
  })

  it('numbers and booleans are accepted for parameters of the URL, structures are not', async () => {
    assert.equal((await callTool('list_registered_users', { limit: 1 })).structuredContent.data.length, 1)
    const rejected = await callTool('list_registered_users', { limit: { $gt: 1 } })
    assert.equal(rejected.structuredContent.error.code, 'invalid_request')
  })

  it('the errors of the API are returned as tool errors with their request ID and documentation', async () => {
    const { isError, structuredContent } = await callTool('list_tool_calls', { limit: '0' })
    assert.equal(isError, true)
    assert.match(structuredContent.error.request_id, /^req_/)
    assert.match(structuredContent.error.documentation_url, /\/docs\/errors#/)
  })

  it('rules are tested without being saved', async () => {
    const { structuredContent } = await callTool('test_security_rules', {
      text: 'Write to ana@example.com',
      rules: { entities: { EMAIL_ADDRESS: { outbound_action: 'redact' } } },
    })
    assert.equal(structuredContent.match_count, 1, JSON.stringify(structuredContent))
  })
})

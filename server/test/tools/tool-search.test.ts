import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { findAuthenticateMeta } from '@carabiner/contract'
import { Client } from '@modelcontextprotocol/sdk/client/index.js'
import { StreamableHTTPClientTransport } from '@modelcontextprotocol/sdk/client/streamableHttp.js'
import { ToolListChangedNotificationSchema } from '@modelcontextprotocol/sdk/types.js'
import { DAY } from '../../src/core/duration.ts'
import { newUuid } from '../../src/core/uuid.ts'
import { retentionSteps, runRetention } from '../../src/retention.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import { sendRawRequest } from '../support/raw-mcp.ts'
import { type StubMcp, startStubMcp, text } from '../support/stub-mcp.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

const NOTES = 'sandbox-notes__list_notes'
const NEW_NOTE = 'sandbox-notes__create_note'

for (const engine of flowEngines)
  describe(`tool search on ${engine}`, () => {
    let t: TestService
    let server: StubMcp
    before(async () => {
      t = await joinTestService(engine)
      server = await startStubMcp()
      const body = { name: 'Work', slug: 'work', url: server.url }
      assert.equal((await t.call('POST', '/api/v1/connectors', { body })).status, 201)
    })
    after(async () => {
      await t?.stop()
      await server?.stop()
    })

    const createPack = async (body: object): Promise<string> => {
      const created = await t.call('POST', '/api/v1/tool-packs', { body: { name: 'Pack', ...body } })
      assert.equal(created.status, 201, created.text)
      return created.body.id
    }
    const connect = async (userId: string, packId: string) => {
      const client = new Client({ name: 'test', version: '1' })
      const url = new URL(`${t.baseUrl}/api/v1/tool-packs/${packId}/registered-users/${userId}/mcp`)
      const headers = { authorization: `Bearer ${t.organization.key}` }
      const transport = new StreamableHTTPClientTransport(url, { requestInit: { headers } })
      await client.connect(transport)
      return client
    }
    const listed = async (client: Client) => (await client.listTools()).tools.map(({ name }) => name)
    const call = (client: Client, name: string, args: object = {}): Promise<any> =>
      client.callTool({ name, arguments: args as Record<string, unknown> })
    const parsed = (result: any) => JSON.parse(result.content[0].text)
    const search = async (client: Client, args: object): Promise<string[]> =>
      parsed(await call(client, 'search_tools', args)).tools.map(({ name }: { name: string }) => name)
    const errorOf = (result: any): string | undefined => {
      assert.equal(result.isError, true, JSON.stringify(result))
      return parsed(result).error.code
    }
    const link = async (userId: string) =>
      linkNotes(
        createBrowserUser(),
        (await t.mint(userId, { connector_slug: 'sandbox-notes' })).magic_link_url,
      )
    const records = (userId: string) =>
      t.query<{
        connector_slug: string
        tool: string
        outcome: string
        error_code: string | null
        counted: boolean
      }>(
        'select connector_slug, tool, outcome, error_code, counted from tool_calls where registered_user_id = $1 order by started_at, id',
        [userId],
      )

    it('search: lists the search, the favorites and the tools of the service, and calls a found tool by name', async () => {
      const packId = await createPack({
        serving: 'search',
        favorites: [NEW_NOTE, 'gone__tool'],
        explain_access: true,
      })
      const user = await t.createUser()
      const client = await connect(user.id, packId)
      assert.match(client.getInstructions() ?? '', /search_tools.*call_tool/)
      assert.deepEqual(await listed(client), ['call_tool', 'explain_access', NEW_NOTE, 'search_tools'])
      const result = await call(client, 'search_tools', { query: 'show my notes' })
      const found = parsed(result)
      assert.deepEqual(result.structuredContent, found)
      assert.equal(found.tools[0].name, NOTES)
      assert.equal(found.tools[0].inputSchema.type, 'object')
      assert.match(found.tools[0].description, /note/i)
      const unlinked = await call(client, 'call_tool', { name: NOTES, arguments: {} })
      assert.equal(findAuthenticateMeta(unlinked)?.Connector, 'sandbox-notes')
      await link(user.id)
      const direct = await call(client, NOTES)
      const named = await call(client, 'call_tool', { name: NOTES, arguments: { limit: 2 } })
      assert.ok(direct.structuredContent.notes.length > 0)
      assert.deepEqual(Object.keys(named.structuredContent), Object.keys(direct.structuredContent))
      assert.deepEqual(
        (await records(user.id)).map(({ connector_slug, tool, outcome, counted }) => [
          connector_slug,
          tool,
          outcome,
          counted,
        ]),
        [
          ['', 'search_tools', 'success', false],
          ['sandbox-notes', 'list_notes', 'needs_auth', false],
          ['sandbox-notes', 'list_notes', 'success', true],
          ['sandbox-notes', 'list_notes', 'success', true],
        ],
      )
      await client.close()
    })

    it('call_tool: validates arguments, carries progress and the idempotency key, and applies the rules', async () => {
      const packId = await createPack({ serving: 'search' })
      const user = await t.createUser()
      const client = await connect(user.id, packId)
      assert.equal(
        errorOf(await call(client, 'call_tool', { name: 'work__count', arguments: { number: 'x' } })),
        'invalid_arguments',
      )
      assert.equal(
        errorOf(await call(client, 'call_tool', { name: 'work__count', arguments: 'x' })),
        'invalid_arguments',
      )
      assert.equal(
        errorOf(await call(client, 'call_tool', { name: 'work__count', args: {} })),
        'invalid_arguments',
      )
      assert.equal(errorOf(await call(client, 'call_tool', {})), 'invalid_arguments')
      server.answer = text('counted')
      server.progress = [{ progress: 1, message: 'half' }]
      server.received = []
      const heard: string[] = []
      const once = () =>
        client.callTool(
          {
            name: 'call_tool',
            arguments: { name: 'work__count', arguments: { number: 1 } },
            _meta: { 'Idempotency-Key': 'same-key-of-the-call' },
          },
          undefined,
          { onprogress: ({ message }) => heard.push(message ?? '') },
        )
      await once()
      await once()
      assert.deepEqual(heard, ['half'])
      assert.deepEqual(server.received, [{ number: 1 }])
      const rules = await t.call('PUT', `/api/v1/tool-packs/${packId}/security-rules`, {
        body: { custom_rules: [{ label: 'SECRET_WORD', pattern: 'forbidden', inbound_action: 'block' }] },
      })
      assert.equal(rules.status, 200, rules.text)
      const blocked = { name: 'work__lookup', arguments: { q: 'forbidden' } }
      assert.equal(errorOf(await call(client, 'call_tool', blocked)), 'security_rule_blocked')
      assert.deepEqual(server.received, [{ number: 1 }])
      server.progress = []
      await client.close()
    })

    it('search: cannot find or call a tool that the pack does not offer, nor a tool of the service', async () => {
      const packId = await createPack({
        serving: 'search',
        favorites: [NEW_NOTE, 'work__lookup'],
        connectors: [{ slug: 'sandbox-notes', tools: ['list_notes'] }],
        result_handles: true,
      })
      const user = await t.createUser()
      await link(user.id)
      const client = await connect(user.id, packId)
      assert.deepEqual(await listed(client), ['call_tool', 'fetch_result', 'search_tools'])
      assert.deepEqual(await search(client, { query: 'create note lookup work vault', limit: 20 }), [NOTES])
      server.received = []
      for (const name of [
        NEW_NOTE,
        'work__lookup',
        'sandbox-vault__list_items',
        'authenticate_work',
        'call_tool',
        'search_tools',
        'fetch_result',
        'explain_access',
        '',
        'sandbox-notes__',
        `${NOTES} `,
        `call_tool__${NOTES}`,
      ])
        assert.equal(
          errorOf(await call(client, 'call_tool', { name, arguments: {} })),
          'tool_not_found',
          name,
        )
      const nested = { name: 'call_tool', arguments: { name: NOTES, arguments: {} } }
      assert.equal(errorOf(await call(client, 'call_tool', nested)), 'tool_not_found')
      assert.deepEqual(server.received, [])
      assert.deepEqual(await search(client, { query: 'work', connector: 'work' }), [])
      await client.close()
    })

    it('search: tools of a connector that the user has linked come before those of others', async () => {
      const packId = await createPack({ serving: 'search', connectors: ['sandbox-notes', 'sandbox-vault'] })
      const user = await t.createUser()
      const client = await connect(user.id, packId)
      assert.equal((await search(client, { query: 'show' }))[0], 'sandbox-vault__get_account')
      await link(user.id)
      assert.equal((await search(client, { query: 'show' }))[0], NOTES)
      await client.close()
    })

    it('search: respects ?connectors= and the connector argument, and suggests connectors if nothing matches', async () => {
      const packId = await createPack({ serving: 'search' })
      const user = await t.createUser()
      const found = async (args: object, query = '') => {
        const answer = await t.mcp(
          user.id,
          'tools/call',
          { name: 'search_tools', arguments: args },
          { packId, query },
        )
        return parsed(answer.body.result)
      }
      const namesOf = (answer: any) => answer.tools.map(({ name }: { name: string }) => name)
      assert.deepEqual(namesOf(await found({ query: 'list items', connector: 'sandbox-vault', limit: 1 })), [
        'sandbox-vault__list_items',
      ])
      assert.ok(
        namesOf(await found({ query: 'list' }, '?connectors=sandbox-vault')).every((name: string) =>
          name.startsWith('sandbox-vault'),
        ),
      )
      const nothing = await found({ query: 'xylophone' })
      assert.deepEqual([nothing.tools, nothing.connectors], [[], ['sandbox-notes', 'sandbox-vault', 'work']])
      assert.equal(namesOf(await found({ query: 'list notes items lookup', limit: 1 })).length, 1)
    })

    it('search_tools and call_tool: are unknown in a pack that is served as a list', async () => {
      const user = await t.createUser()
      const client = await connect(user.id, t.organization.toolPackId)
      assert.ok((await listed(client)).every(name => name.includes('__')))
      assert.equal(errorOf(await call(client, 'search_tools', { query: 'note' })), 'tool_not_found')
      server.received = []
      const named = { name: 'work__count', arguments: { number: 1 } }
      assert.equal(errorOf(await call(client, 'call_tool', named)), 'tool_not_found')
      assert.deepEqual(server.received, [])
      await client.close()
    })

    it('reveal: a search adds tools to the list of its session, and announces the change', async () => {
      const packId = await createPack({ serving: 'reveal', favorites: [NEW_NOTE] })
      const user = await t.createUser()
      const [client, other] = [await connect(user.id, packId), await connect(user.id, packId)]
      let announced = 0
      client.setNotificationHandler(ToolListChangedNotificationSchema, () => void announced++)
      assert.deepEqual(await listed(client), [NEW_NOTE, 'search_tools'])
      assert.deepEqual(await search(client, { query: 'list notes', limit: 1 }), [NOTES])
      await eventually(async () => assert.ok(announced > 0))
      assert.deepEqual(await listed(client), [NEW_NOTE, NOTES, 'search_tools'])
      assert.deepEqual(await listed(other), [NEW_NOTE, 'search_tools'])
      assert.equal(findAuthenticateMeta(await call(client, NOTES))?.Connector, 'sandbox-notes')
      assert.equal(errorOf(await call(client, 'call_tool', { name: NOTES })), 'tool_not_found')
      await search(client, { query: 'list notes', limit: 1 })
      assert.deepEqual(await listed(client), [NEW_NOTE, NOTES, 'search_tools'])
      await t.call('PATCH', `/api/v1/tool-packs/${packId}`, { body: { connectors: ['work'] } })
      assert.deepEqual(
        await listed(client),
        ['search_tools'],
        'a tool that the pack no longer offers is not listed',
      )
      await Promise.all([client.close(), other.close()])
    })

    it('reveal: the response of a search announces new tools, and none that are listed already', async () => {
      const packId = await createPack({ serving: 'reveal' })
      const user = await t.createUser()
      const url = `${t.baseUrl}/api/v1/tool-packs/${packId}/registered-users/${user.id}/mcp`
      const methodsOf = async (query: string) => {
        const params = { name: 'search_tools', arguments: { query, limit: 1 } }
        const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params }
        const answer = await sendRawRequest(url, t.organization.key, { body })
        await answer.untilEnded()
        return answer.messages.map(({ method }) => method)
      }
      assert.deepEqual(await methodsOf('list notes'), ['notifications/tools/list_changed', undefined])
      assert.deepEqual(await methodsOf('list notes'), [undefined])
      assert.deepEqual(await methodsOf('create note'), ['notifications/tools/list_changed', undefined])
    })

    it('reveal: keeps the latest 60 tools of a session for a day, and deletes them with the user', async () => {
      const packId = await createPack({ serving: 'reveal' })
      const user = await t.createUser()
      const client = await connect(user.id, packId)
      await search(client, { query: 'notes' })
      await t.query(
        `update revealed_tools set tools = array(select 'old__' || n from generate_series(1, 60) n) where registered_user_id = $1`,
        [user.id],
      )
      await search(client, { query: 'notes' })
      const [row] = await t.query('select tools from revealed_tools where registered_user_id = $1', [user.id])
      assert.equal(row.tools.length, 60)
      assert.ok(row.tools[0].startsWith('sandbox-notes__'))
      assert.ok((await listed(client)).includes(NOTES))
      await t.moveClock(DAY + 1000)
      assert.deepEqual(await listed(client), ['search_tools'])
      await runRetention(retentionSteps(t.service.features), t.service.features.log)
      assert.deepEqual(
        await t.query('select * from revealed_tools where registered_user_id = $1', [user.id]),
        [],
      )
      await t.moveClock(0)
      await client.close()
    })

    it('token cost: is shown for every way of serving, and is that of the list', async () => {
      const packId = await createPack({ serving: 'search', favorites: [NOTES], result_handles: true })
      const { list_costs: costs } = (await t.call('GET', `/api/v1/tool-packs/${packId}/tools`)).body
      const user = await t.createUser()
      for (const serving of ['list', 'search', 'reveal'] as const) {
        await t.call('PATCH', `/api/v1/tool-packs/${packId}`, { body: { serving } })
        const { tools } = (await t.mcp(user.id, 'tools/list', {}, { packId })).body.result
        const bytes = tools.reduce(
          (sum: number, tool: object) => sum + Buffer.byteLength(JSON.stringify(tool)),
          0,
        )
        assert.deepEqual(costs[serving], {
          tools: tools.length,
          definition_bytes: bytes,
          estimated_tokens: Math.round(bytes / 4),
        })
      }
      assert.deepEqual([costs.list.tools, costs.search.tools, costs.reveal.tools], [7, 4, 3])
    })

    it('token cost: an estimate of other connectors is what they cost once saved, and changes nothing', async () => {
      const packId = await createPack({ connectors: [] })
      const path = `/api/v1/tool-packs/${packId}`
      const estimate = async (connectors: unknown) =>
        (await t.call('POST', `${path}/tools/estimate`, { body: { connectors } })).body
      const costs = async () => (await t.call('GET', `${path}/tools`)).body.list_costs
      const saved = await costs()
      const tool = { name: 'list_notes', description: 'Lists notes, with another description.' }
      for (const connectors of [null, [{ slug: 'sandbox-notes', tools: [tool] }]]) {
        const { list_costs: estimated } = await estimate(connectors)
        assert.deepEqual(await costs(), saved)
        await t.call('PATCH', path, { body: { connectors } })
        assert.deepEqual(await costs(), estimated)
        await t.call('PATCH', path, { body: { connectors: [] } })
      }
      assert.equal((await estimate(['nothing'])).error.code, 'unknown_connector')
      const unknown = await t.call('POST', `/api/v1/tool-packs/${newUuid()}/tools/estimate`, {
        body: {},
      })
      assert.equal(unknown.body.error.code, 'tool_pack_not_found')
    })

    it('settings: are validated, patched and reset', async () => {
      const bad = async (body: object) => {
        const answer = await t.call('POST', '/api/v1/tool-packs', { body: { name: 'Bad', ...body } })
        return [answer.status, answer.body.error.code, answer.body.error.param]
      }
      assert.deepEqual(await bad({ serving: 'all' }), [400, 'invalid_request', 'serving'])
      assert.deepEqual(await bad({ favorites: [NOTES, NOTES] }), [400, 'duplicate_choice', 'favorites.1'])
      assert.deepEqual(await bad({ favorites: ['notes'] }), [400, 'invalid_request', 'favorites.0'])
      const packId = await createPack({ serving: 'search', favorites: [NOTES] })
      const change = async (method: string, body: object) => {
        const { serving, favorites } = (await t.call(method, `/api/v1/tool-packs/${packId}`, { body })).body
        return [serving, favorites]
      }
      assert.deepEqual(await change('PATCH', { name: 'New' }), ['search', [NOTES]])
      assert.deepEqual(await change('PATCH', { serving: 'reveal', favorites: [] }), ['reveal', []])
      assert.deepEqual(await change('PUT', { name: 'New' }), ['list', []])
    })
  })

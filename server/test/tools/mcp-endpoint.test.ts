import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { flowEngines } from '../support/databases.ts'
import { eventually } from '../support/eventually.ts'
import {
  handshakeRequest,
  type RawOptions,
  STATELESS,
  sendRawRequest,
  statelessRequest,
} from '../support/raw-mcp.ts'
import { startTestService, type TestService, WAKE_UPS_ONLY } from '../support/test-service.ts'

const LIST = { name: 'sandbox-notes__list_notes', arguments: {} }
const OPENS_URLS = { elicitation: { url: {} } }
const META = 'io.modelcontextprotocol/'

for (const engine of flowEngines) {
  describe(`the MCP endpoint on ${engine}`, () => {
    let t: TestService
    before(async () => {
      t = await startTestService(engine, {}, WAKE_UPS_ONLY)
    })
    after(() => t.stop())

    const addressOf = (userId: string, query = '') =>
      `${t.baseUrl}/api/v1/tool-packs/${t.organization.toolPackId}/registered-users/${userId}/mcp${query}`
    const sendMcp = (userId: string, options: RawOptions, query = '', key = t.organization.key) =>
      sendRawRequest(addressOf(userId, query), key, options)
    const call = (userId: string, options = {}, query = '', params: Record<string, unknown> = {}) =>
      sendMcp(userId, statelessRequest('tools/call', { ...LIST, ...params }, options), query)
    const initialize = async (userId: string, protocolVersion: string, capabilities = {}) => {
      const params = { protocolVersion, capabilities, clientInfo: { name: 'test', version: '1' } }
      return sendMcp(userId, handshakeRequest('initialize', params))
    }

    describe('revisions', () => {
      it('2026-07-28 works without a handshake: discover, list and call return type and server info', async () => {
        const { id } = await t.createUser()
        const discovered = (await sendMcp(id, statelessRequest('server/discover'))).messages[0].result
        assert.deepEqual(discovered.supportedVersions, [STATELESS, '2025-11-25', '2025-06-18', '2025-03-26'])
        assert.deepEqual(discovered.capabilities, {
          tools: { listChanged: true },
          extensions: { 'io.modelcontextprotocol/tasks': {} },
        })
        const listed = (await sendMcp(id, statelessRequest('tools/list'))).messages[0].result
        assert.deepEqual([listed.ttlMs, listed.cacheScope, listed.tools.length], [0, 'private', 4])
        assert.ok(listed.tools.every((tool: object) => !('outputSchema' in tool)))
        const called = (await call(id)).messages[0].result
        assert.equal(called.structuredContent.type, 'authenticate_meta')
        for (const result of [discovered, listed, called]) {
          assert.equal(result.resultType, 'complete')
          const { _meta: meta } = result
          assert.equal(meta[`${META}serverInfo`].name, 'carabiner')
        }
      })

      it('methods of one revision are not available in the other', async () => {
        const { id } = await t.createUser()
        for (const method of ['initialize', 'ping', 'logging/setLevel', 'nothing/like/it']) {
          const { status, messages } = await sendMcp(id, statelessRequest(method, {}, { id: 'x' }))
          assert.deepEqual([status, messages[0].error.code, messages[0].id], [404, -32601, 'x'], method)
        }
        for (const method of ['server/discover', 'subscriptions/listen', 'toString']) {
          const { status, messages } = await sendMcp(id, handshakeRequest(method))
          assert.deepEqual([status, messages[0].error.code], [200, -32601], method)
        }
      })

      it('headers that do not match the body are rejected, whether missing or wrong', async () => {
        const { id } = await t.createUser()
        const bare = { 'mcp-protocol-version': STATELESS, 'mcp-method': 'tools/list' }
        const version = { [`${META}protocolVersion`]: STATELESS }
        const list = (meta: object | undefined, headers: Record<string, string> = bare): RawOptions => ({
          headers,
          body: { jsonrpc: '2.0', id: 7, method: 'tools/list', params: meta && { _meta: meta } },
        })
        const named = (name: string) =>
          statelessRequest('tools/call', LIST, { id: 7, headers: { 'mcp-name': name } })
        const cases: [RawOptions, number][] = [
          [list(undefined), -32602],
          [list({ [`${META}clientCapabilities`]: {} }), -32602],
          [list(version), -32602],
          [list({ ...version, [`${META}clientCapabilities`]: [] }), -32602],
          [list({ [`${META}protocolVersion`]: 'v9', [`${META}clientCapabilities`]: {} }), -32020],
          [list({ ...version, [`${META}clientCapabilities`]: {} }, {}), -32020],
          [
            list({ ...version, [`${META}clientCapabilities`]: {} }, { ...bare, 'mcp-method': 'tools/call' }),
            -32020,
          ],
          [
            list({ ...version, [`${META}clientCapabilities`]: {} }, { 'mcp-protocol-version': STATELESS }),
            -32020,
          ],
          [named('another'), -32020],
          [named('=?base64?!!?='), -32020],
          [list({}, { 'mcp-protocol-version': '1900-01-01' }), -32022],
        ]
        for (const [request, code] of cases) {
          const { status, messages } = await sendMcp(id, request)
          assert.deepEqual(
            [status, messages[0].error.code, messages[0].id],
            [400, code, 7],
            JSON.stringify(request),
          )
        }
        const encoded = `=?base64?${Buffer.from(LIST.name).toString('base64')}?=`
        assert.ok((await sendMcp(id, named(encoded))).messages[0].result)
        const unknown = statelessRequest(
          'tools/list',
          {},
          { headers: { 'mcp-protocol-version': 'v9' }, meta: { [`${META}protocolVersion`]: 'v9' } },
        )
        const { error } = (await sendMcp(id, unknown)).messages[0]
        assert.deepEqual(
          [error.code, error.data.requested, error.data.supported[0]],
          [-32022, 'v9', STATELESS],
        )
      })

      it('each older revision is negotiated, in a session valid on every node and for its user only', async () => {
        const [{ id }, other] = await Promise.all([t.createUser(), t.createUser()])
        for (const revision of ['2025-11-25', '2025-06-18', '2025-03-26']) {
          const opened = await initialize(id, revision)
          assert.equal(opened.messages[0].result.protocolVersion, revision)
          const session = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
          const ping = (userId: string, headers: Record<string, string>) =>
            sendMcp(userId, handshakeRequest('ping', {}, { headers }))
          assert.deepEqual((await ping(id, session)).messages[0].result, {})
          assert.equal((await ping(other.id, session)).status, 404)
          assert.equal((await ping(id, { 'mcp-session-id': `${session['mcp-session-id']}x` })).status, 404)
          assert.equal((await ping(id, {})).status, 200, 'a client without a session is served')
          const { result } = (await sendMcp(id, handshakeRequest('tools/call', LIST, { headers: session })))
            .messages[0]
          assert.deepEqual(
            [result.structuredContent.type, 'resultType' in result],
            ['authenticate_meta', false],
          )
        }
        assert.equal((await initialize(id, '2024-11-05')).messages[0].result.protocolVersion, '2025-11-25')
      })

      it('batches are accepted only in the revision that defines them', async () => {
        const { id } = await t.createUser()
        const body = [1, 2].map(n => ({ jsonrpc: '2.0', id: n, method: 'ping' }))
        const url = addressOf(id)
        const send = async (headers: Record<string, string>) =>
          t.call('POST', new URL(url).pathname, { body, headers })
        assert.equal((await send({})).body.length, 2)
        assert.equal((await send({ 'mcp-protocol-version': '2025-03-26' })).body.length, 2)
        assert.equal((await send({ 'mcp-protocol-version': '2025-06-18' })).status, 400)
      })

      it('a page of another origin is rejected, with any key', async () => {
        const { id } = await t.createUser()
        for (const [origin, status] of [
          ['https://evil.example.com', 403],
          ['null', 403],
          ['http://localhost.evil.example.com', 403],
          [t.baseUrl, 200],
          ['http://localhost:6274', 200],
        ] as const)
          assert.equal(
            (await sendMcp(id, statelessRequest('tools/list', {}, { headers: { origin } }))).status,
            status,
            origin,
          )
      })
    })

    describe('changes of the tool list', () => {
      it('are sent to subscribers after a link and after a new connector, acknowledged first', async () => {
        const { id } = await t.createUser()
        const listening = await sendMcp(
          id,
          statelessRequest(
            'subscriptions/listen',
            { notifications: { toolsListChanged: true, promptsListChanged: true } },
            { id: 'sub-1' },
          ),
        )
        await listening.until(({ method }) => method === 'notifications/subscriptions/acknowledged')
        assert.deepEqual(listening.messages[0].params, {
          _meta: { [`${META}subscriptionId`]: 'sub-1' },
          notifications: { toolsListChanged: true },
        })
        const older = await sendMcp(id, { method: 'GET' })
        const unsubscribed = await sendMcp(
          id,
          statelessRequest('subscriptions/listen', { notifications: {} }),
        )
        await linkNotes(createBrowserUser(), (await t.mint(id)).magic_link_url)
        const changed = ({ method }: { method: string }) => method === 'notifications/tools/list_changed'
        const notification = await listening.until(changed)
        assert.deepEqual(notification.params, { _meta: { [`${META}subscriptionId`]: 'sub-1' } })
        await older.until(changed)
        assert.ok(!unsubscribed.messages.some(changed), 'no notification was requested')
        for (const stream of [listening, older, unsubscribed]) stream.close()
      })

      it('a stream ends when the user is deactivated, and a caller without access gets none', async () => {
        const { id } = await t.createUser()
        const listening = await sendMcp(id, statelessRequest('subscriptions/listen', {}))
        await t.call('PATCH', `/api/v1/registered-users/${id}`, { body: { is_active: false } })
        await listening.untilEnded()
        const last = listening.messages.at(-1)
        assert.deepEqual([last.id, last.result.resultType], [1, 'complete'])
        const refused = await sendMcp(id, statelessRequest('subscriptions/listen', {}))
        assert.equal(refused.messages[0].error.data.code, 'user_inactive')
        assert.equal((await sendMcp(id, { method: 'GET' }, '', t.organization.testKey)).status, 404)
        const plain = statelessRequest(
          'subscriptions/listen',
          {},
          { headers: { accept: 'application/json' } },
        )
        const { id: other } = await t.createUser()
        assert.equal((await sendMcp(other, plain)).status, 400)
      })

      it('streams per user are limited to 50, and a closed one frees capacity', async () => {
        const { id } = await t.createUser()
        const streams = await Promise.all(Array.from({ length: 50 }, () => sendMcp(id, { method: 'GET' })))
        assert.equal((await sendMcp(id, { method: 'GET' })).status, 429)
        for (const stream of streams) stream.close()
        await eventually(async () => {
          const again = await sendMcp(id, { method: 'GET' })
          again.close()
          assert.equal(again.status, 200)
        })
      })
    })

    describe('wait=', () => {
      it('streams the link, and completes the call once the account is connected', async () => {
        const { id } = await t.createUser()
        const waiting = await call(id, { meta: { progressToken: 'p' } }, '?wait=30')
        assert.match(String(waiting.headers['content-type']), /^text\/event-stream/)
        const notification = await waiting.until(({ method }) => method === 'notifications/progress')
        assert.equal(notification.params.progressToken, 'p')
        const [link = ''] = /http\S+magic-link\S+/.exec(notification.params.message) ?? []
        await linkNotes(createBrowserUser(), link)
        const { result } = await waiting.until(message => 'result' in message)
        assert.equal(result.structuredContent.notes.length, 3)
        await waiting.untilEnded()
        const outcomes = await t.query(
          'select outcome from tool_calls where registered_user_id = $1 order by id',
          [id],
        )
        assert.deepEqual(
          outcomes.map(row => row.outcome),
          ['needs_auth', 'success'],
        )
      })

      it('times out with authenticate_meta, whose link still works', async () => {
        const { id } = await t.createUser()
        const waiting = await call(id, {}, '?wait=1')
        const { result } = await waiting.until(message => 'result' in message)
        assert.equal(result.structuredContent.type, 'authenticate_meta')
        await linkNotes(createBrowserUser(), result.structuredContent.magic_link_url)
        assert.ok((await call(id)).messages[0].result.structuredContent.notes)
      })

      it('ends with an error when the user is deactivated, and is dropped when the client disconnects', async () => {
        const { id } = await t.createUser()
        const waiting = await call(id, {}, '?wait=30')
        await t.call('PATCH', `/api/v1/registered-users/${id}`, { body: { is_active: false } })
        const { result } = await waiting.until(message => 'result' in message)
        assert.deepEqual([result.isError, result.structuredContent.error.code], [true, 'user_inactive'])
        for (const request of [statelessRequest, handshakeRequest]) {
          const { id: other } = await t.createUser()
          const disconnected = await sendMcp(other, request('tools/call', LIST), '?wait=30')
          disconnected.close()
          await delay(50)
          await linkNotes(createBrowserUser(), (await t.mint(other)).magic_link_url)
          await delay(200)
          const outcomes = await t.query('select outcome from tool_calls where registered_user_id = $1', [
            other,
          ])
          assert.deepEqual(
            outcomes.map(row => row.outcome),
            ['needs_auth'],
          )
        }
      })

      it('is rejected if it is not a number of seconds up to 300', async () => {
        const { id } = await t.createUser()
        for (const wait of ['301', '-1', '1.5', 'long', ''])
          assert.equal((await call(id, {}, `?wait=${wait}`)).status, 400, wait)
      })
    })

    describe('elicitation=url', () => {
      it('sends the link through a capable 2026-07-28 client, and the same call succeeds after connecting', async () => {
        const { id } = await t.createUser()
        const options = { capabilities: OPENS_URLS }
        const { result } = (await call(id, options, '?elicitation=url')).messages[0]
        assert.deepEqual(
          [result.resultType, result.inputRequests.connect.params.mode],
          ['input_required', 'url'],
        )
        const { requestState, inputRequests } = result
        const again = { requestState, inputResponses: { connect: { action: 'accept' } } }
        const second = call(id, options, '?elicitation=url', again)
        await delay(100)
        await linkNotes(createBrowserUser(), inputRequests.connect.params.url)
        const answered = await (await second).until(message => 'result' in message)
        assert.equal(answered.result.structuredContent.notes.length, 3)
      })

      it('accepts only its own state, for the same user, tool and arguments', async () => {
        const [{ id }, other] = await Promise.all([t.createUser(), t.createUser()])
        const options = { capabilities: OPENS_URLS }
        const { requestState } = (await call(id, options, '?elicitation=url')).messages[0].result
        const inputResponses = { connect: { action: 'accept' } }
        const tampered = [
          `${requestState}x`,
          `x${requestState}`,
          requestState.split('.')[0],
          '',
          'a.b',
          7,
          null,
          {},
        ]
        for (const state of tampered) {
          const { messages } = await call(id, options, '?elicitation=url', {
            requestState: state,
            inputResponses,
          })
          assert.equal(messages[0].error?.code, -32602, JSON.stringify(state))
        }
        const foreign = await call(other.id, options, '?elicitation=url', { requestState, inputResponses })
        assert.equal(foreign.messages[0].error.code, -32602)
        const otherArguments = await call(id, options, '?elicitation=url', {
          requestState,
          inputResponses,
          arguments: { query: 'x' },
        })
        assert.equal(otherArguments.messages[0].error.code, -32602)
        const declined = await call(id, options, '?elicitation=url', {
          requestState,
          inputResponses: { connect: { action: 'decline' } },
        })
        assert.equal(declined.messages[0].result.structuredContent.error.code, 'connection_declined')
      })

      it('is error -32042 in 2025-11-25, and a tool result if the client does not support or request it', async () => {
        const { id } = await t.createUser()
        const session = async (revision: string, capabilities: object) => {
          const { headers } = await initialize(id, revision, capabilities)
          return { 'mcp-session-id': String(headers['mcp-session-id']) }
        }
        const callIn = async (headers: Record<string, string>, query = '?elicitation=url') =>
          (await sendMcp(id, handshakeRequest('tools/call', LIST, { headers }), query)).messages[0]
        const { error } = await callIn(await session('2025-11-25', OPENS_URLS))
        assert.equal(error.code, -32042)
        const [elicitation] = error.data.elicitations
        assert.deepEqual([elicitation.mode, typeof elicitation.elicitationId], ['url', 'string'])
        assert.match(elicitation.url, /\/magic-link\//)
        for (const headers of [
          await session('2025-11-25', { elicitation: {} }),
          await session('2025-06-18', OPENS_URLS),
        ])
          assert.equal((await callIn(headers)).result.structuredContent.type, 'authenticate_meta')
        const notRequested = await callIn(await session('2025-11-25', OPENS_URLS), '')
        assert.equal(notRequested.result.structuredContent.type, 'authenticate_meta')
        const unsupported = (await call(id, { capabilities: { elicitation: {} } }, '?elicitation=url'))
          .messages[0]
        assert.equal(unsupported.result.structuredContent.type, 'authenticate_meta')
      })
    })
  })
}

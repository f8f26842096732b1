import assert from 'node:assert/strict'
import { after, before, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { eventually } from '../support/eventually.ts'
import { handshakeRequest, type RawOptions, sendRawRequest, statelessRequest } from '../support/raw-mcp.ts'
import { type ScriptedMcp, startScriptedMcp } from '../support/scripted-mcp.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'

/** What the MCP endpoint adds to a call: progress, cancellation in both eras, and reading truncated results. */
describe('calls through the MCP endpoint', () => {
  let t: TestService
  let server: ScriptedMcp
  let userId: string
  before(async () => {
    t = await joinTestService('postgres')
    server = await startScriptedMcp()
    const added = await t.call('POST', '/api/v1/connectors', {
      body: { slug: 'work', name: 'Work', url: server.url },
    })
    assert.equal(added.status, 201, added.text)
    userId = (await t.createUser()).id
  })
  after(async () => {
    await t.stop()
    await server.stop()
  })

  const sendMcp = (options: RawOptions, packId = t.organization.toolPackId) =>
    sendRawRequest(
      `${t.baseUrl}/api/v1/tool-packs/${packId}/registered-users/${userId}/mcp`,
      t.organization.key,
      options,
    )
  const call = (tool: string, args = {}, options = {}, packId?: string) =>
    sendMcp(statelessRequest('tools/call', { name: `work__${tool}`, arguments: args }, options), packId)
  const outcomes = async (tool: string) =>
    t.query<{ outcome: string; error_code: string | null }>(
      'select outcome, error_code from tool_calls where tool = $1 order by id',
      [tool],
    )

  it('forwards requested progress as a stream, and responds with plain JSON otherwise', async () => {
    const streamed = await call('count', {}, { meta: { progressToken: 7 } })
    await streamed.untilEnded()
    assert.match(String(streamed.headers['content-type']), /^text\/event-stream/)
    assert.deepEqual(
      streamed.messages.map(
        ({ method, params }) => method && [method, params.progressToken, params.progress],
      ),
      [['notifications/progress', 7, 1], ['notifications/progress', 7, 2], undefined],
    )
    assert.equal(streamed.messages.at(-1).result.content[0].text, 'counted')
    const plain = await call('count')
    assert.match(String(plain.headers['content-type']), /^application\/json/)
  })

  it('2026-07-28: closing the connection aborts the provider call', async () => {
    const answer = call('hang', {}, { meta: { progressToken: 'x' } })
    const streamed = await answer
    await eventually(async () => assert.equal(server.hanging(), 1))
    streamed.close()
    await eventually(async () => assert.equal(server.hanging(), 0))
    await eventually(async () =>
      assert.deepEqual(await outcomes('hang'), [{ outcome: 'error', error_code: 'cancelled' }]),
    )
  })

  it('2025-11-25: the notification cancels a call, disconnecting does not', async () => {
    const opened = await sendMcp(
      handshakeRequest('initialize', { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} }),
    )
    const headers = { 'mcp-session-id': String(opened.headers['mcp-session-id']) }
    const hang = (id: number) =>
      sendMcp(
        handshakeRequest(
          'tools/call',
          { name: 'work__hang', arguments: {}, _meta: { progressToken: id } },
          { id, headers },
        ),
      )
    const [first, second] = await Promise.all([hang(1), hang(2)])
    await eventually(async () => assert.equal(server.hanging(), 2))
    first.close()
    await delay(200)
    assert.equal(server.hanging(), 2)
    const cancel = await sendMcp({
      headers,
      body: { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 2 } },
    })
    assert.equal(cancel.status, 202)
    const { result } = await second.until(message => 'result' in message)
    assert.equal(result.structuredContent.error.code, 'cancelled')
    await eventually(async () => assert.equal(server.hanging(), 1))
    server.releaseCalls()
    await eventually(async () => assert.equal(server.hanging(), 0))
  })

  it('a notification in another session cancels nothing', async () => {
    const open = async () => {
      const params = { protocolVersion: '2025-11-25', capabilities: {}, clientInfo: {} }
      const { headers } = await sendMcp(handshakeRequest('initialize', params))
      return { 'mcp-session-id': String(headers['mcp-session-id']) }
    }
    const [own, other] = [await open(), await open()]
    const params = { name: 'work__hang', arguments: {}, _meta: { progressToken: 1 } }
    const waiting = await sendMcp(handshakeRequest('tools/call', params, { id: 1, headers: own }))
    await eventually(async () => assert.equal(server.hanging(), 1))
    const body = { jsonrpc: '2.0', method: 'notifications/cancelled', params: { requestId: 1 } }
    await sendMcp({ headers: other, body })
    await sendMcp({ body })
    await delay(200)
    assert.equal(server.hanging(), 1)
    server.releaseCalls()
    const { result } = await waiting.until(message => 'result' in message)
    assert.equal(result.content[0].text, 'released')
  })

  it('a pack that stores large results lists fetch_result, and the slices form the whole result', async () => {
    const pack = await t.call('POST', '/api/v1/tool-packs', {
      body: { name: 'Large', connectors: ['work'], result_limit: 2000, result_handles: true },
    })
    const names = async (packId?: string) =>
      (await sendMcp(statelessRequest('tools/list'), packId)).messages[0].result.tools.map(
        ({ name }: any) => name,
      )
    assert.ok((await names(pack.body.id)).includes('fetch_result'))
    assert.ok(!(await names()).includes('fetch_result'))
    const { result } = (await call('large', {}, {}, pack.body.id)).messages[0]
    const [, handle] = /"handle":"([^"]+)"/.exec(result.content.at(-1).text) ?? []
    let whole = ''
    for (let offset: number | null = 0; offset !== null; ) {
      const params: Record<string, unknown> = { name: 'fetch_result', arguments: { handle, offset } }
      const slice: any = (await sendMcp(statelessRequest('tools/call', params), pack.body.id)).messages[0]
        .result
      whole += slice.structuredContent.text
      offset = slice.structuredContent.next_offset
    }
    assert.equal(whole, server.largeText)
    const inOtherPack = await sendMcp(
      statelessRequest('tools/call', { name: 'fetch_result', arguments: { handle } }),
    )
    assert.equal(inOtherPack.messages[0].result.structuredContent.error.code, 'tool_not_found')
  })

  it('a call with an Idempotency-Key in _meta is made once', async () => {
    const earlier = server.calls('count')
    const answers = []
    for (let n = 0; n < 3; n++)
      answers.push((await call('count', {}, { meta: { 'Idempotency-Key': 'k-1' } })).messages[0].result)
    assert.equal(server.calls('count') - earlier, 1)
    assert.deepEqual(answers[0].content, answers[2].content)
    for (const key of [7, '', 'x'.repeat(256)]) {
      const { result } = (await call('count', {}, { meta: { 'Idempotency-Key': key } })).messages[0]
      assert.equal(result.structuredContent.error.code, 'invalid_idempotency_key', String(key))
    }
  })

  it('the authenticate tool of a server without authentication is not listed, and says so when called', async () => {
    const params = { name: 'authenticate_work', arguments: {} }
    const { result } = (await sendMcp(statelessRequest('tools/call', params))).messages[0]
    assert.deepEqual([result.isError, result.structuredContent.error.code], [true, 'connector_needs_no_link'])
  })
})

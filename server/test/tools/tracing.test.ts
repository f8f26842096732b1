import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { eventually } from '../support/eventually.ts'
import { type OtlpReceiver, type ReceivedSpan, startOtlpReceiver } from '../support/otlp-receiver.ts'
import { type PlainMcp, startPlainMcp } from '../support/plain-mcp.ts'
import { startTestService, type TestService } from '../support/test-service.ts'

const NOTES = 'sandbox-notes'
const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const OTHER_TRACE = '0af7651916cd43dd8448eb211c80319c'
const SPAN = '00f067aa0ba902b7'
const OTHER_SPAN = 'b7ad6b7169203331'
const STEPS = ['admission', 'argument rules', 'credential', 'provider call', 'result rules', 'settlement']
const [INTERNAL, SERVER, CLIENT] = [1, 2, 3]

describe('traces of tool calls', () => {
  let t: TestService
  let receiver: OtlpReceiver
  let plain: PlainMcp
  let user: string
  before(async () => {
    receiver = await startOtlpReceiver()
    plain = await startPlainMcp()
    t = await startTestService('postgres', {
      OTEL_EXPORTER_OTLP_ENDPOINT: receiver.url,
      OTEL_BSP_SCHEDULE_DELAY: '20',
    })
    user = (await t.createUser({ origin_user_name: 'Canary Name', email: 'canary@example.com' })).id
    await linkNotes(createBrowserUser(), (await t.mint(user)).magic_link_url)
    const body = { slug: 'theirs', name: 'Theirs', url: plain.url }
    assert.equal((await t.call('POST', '/api/v1/connectors', { body })).status, 201)
  })
  after(async () => {
    await t.stop()
    await plain.stop()
    await receiver.stop()
  })
  beforeEach(() => {
    receiver.spans.length = 0
    plain.calls.length = 0
  })

  type Options = { meta?: object; header?: string; args?: object; id?: string | number }
  const call = async (name: string, { meta, header, args = {}, id = 7 }: Options = {}) => {
    const path = `/api/v1/tool-packs/${t.organization.toolPackId}/registered-users/${user}/mcp`
    const params = { name, arguments: args, ...(meta && { _meta: meta }) }
    const { body } = await t.call('POST', path, {
      body: { jsonrpc: '2.0', id, method: 'tools/call', params },
      ...(header !== undefined && { headers: { traceparent: header } }),
    })
    return body.result
  }
  /** The spans of one call; the root is exported last. */
  const untilExported = (): Promise<[root: ReceivedSpan, steps: ReceivedSpan[]]> =>
    eventually(async () => {
      const root = receiver.spans.find(({ name }) => name.startsWith('tools/call'))
      assert.ok(root, 'the span of the call was exported')
      return [root, receiver.spans.filter(({ parentSpanId }) => parentSpanId === root.spanId)]
    })
  const lastTraceId = async () =>
    (await t.query('select trace_id from tool_calls order by started_at desc limit 1'))[0].trace_id

  it('one span per step under the span of the call, in the trace of the caller', async () => {
    await call(`${NOTES}__list_notes`, {
      meta: { traceparent: `00-${TRACE}-${SPAN}-01` },
      header: `00-${OTHER_TRACE}-${OTHER_SPAN}-01`,
    })
    const [root, steps] = await untilExported()
    assert.equal(root.name, `tools/call ${NOTES}__list_notes`)
    assert.deepEqual([root.traceId, root.parentSpanId, root.kind], [TRACE, SPAN, SERVER])
    assert.deepEqual(root.links, [{ traceId: OTHER_TRACE, spanId: OTHER_SPAN }])
    const { 'carabiner.tool_call.id': callId, 'carabiner.request.id': requestId, ...rest } = root.attributes
    assert.deepEqual(rest, {
      'mcp.method.name': 'tools/call',
      'mcp.protocol.version': rest['mcp.protocol.version'],
      'gen_ai.operation.name': 'execute_tool',
      'gen_ai.tool.name': `${NOTES}__list_notes`,
      'jsonrpc.request.id': '7',
      'network.transport': 'tcp',
      'network.protocol.name': 'http',
      'carabiner.connector': NOTES,
      'carabiner.outcome': 'success',
    })
    assert.match(String(rest['mcp.protocol.version']), /^20\d\d-\d\d-\d\d$/)
    assert.match(String(requestId), /^req_/)
    const [record] = await t.query('select trace_id, request_id from tool_calls where id = $1', [callId])
    assert.deepEqual(record, { trace_id: TRACE, request_id: requestId })
    assert.deepEqual(
      steps.map(({ name, kind, traceId, isError }) => [name, kind, traceId, isError]),
      STEPS.map(name => [name, name === 'provider call' ? CLIENT : INTERNAL, TRACE, false]),
    )
  })

  it('the trace of the HTTP header is used without `_meta`, and sent on to the MCP server', async () => {
    await call('theirs__look', { header: `00-${TRACE}-${SPAN}-01` })
    const [root, steps] = await untilExported()
    assert.deepEqual([root.traceId, root.parentSpanId, root.links.length], [TRACE, SPAN, 0])
    const provider = steps.find(({ name }) => name === 'provider call')
    const sent = `00-${TRACE}-${provider?.spanId}-01`
    assert.equal(plain.calls[0]?.headers.traceparent, sent)
    assert.deepEqual(plain.calls[0]?.meta, { traceparent: sent })
  })

  it('a call without a trace begins one, which its record names', async () => {
    await call('theirs__look', { id: 'canary@example.com' })
    const [root] = await untilExported()
    assert.equal(root.parentSpanId, '')
    assert.equal(await lastTraceId(), root.traceId)
    assert.equal(root.attributes['jsonrpc.request.id'], undefined)
  })

  it('a caller that does not sample gets no spans, and its trace is still recorded and sent on', async () => {
    await call('theirs__look', { header: `00-${OTHER_TRACE}-${SPAN}-00` })
    assert.equal(await lastTraceId(), OTHER_TRACE)
    assert.match(String(plain.calls[0]?.headers.traceparent), new RegExp(`^00-${OTHER_TRACE}-\\w{16}-00$`))
    await call('theirs__look', { header: `00-${TRACE}-${SPAN}-01` })
    await untilExported()
    assert.deepEqual([...new Set(receiver.spans.map(({ traceId }) => traceId))], [TRACE])
  })

  it('failures mark the step and the call, and unknown names are not exported', async () => {
    t.sandbox.script({ target: 'notes', behavior: 'status', status: 400 })
    await call(`${NOTES}__list_notes`)
    const [root, steps] = await untilExported()
    assert.deepEqual([root.isError, root.attributes['error.type']], [true, 'tool_error'])
    assert.equal(root.attributes['carabiner.error_code'], 'third_party_rejected')
    assert.deepEqual(
      steps.filter(({ isError }) => isError).map(({ name }) => name),
      ['provider call'],
    )
    receiver.spans.length = 0
    await call(`${NOTES}__canary_tool`)
    const [refused, refusedSteps] = await untilExported()
    assert.deepEqual([refused.name, refused.attributes['carabiner.outcome']], ['tools/call', 'refused'])
    assert.deepEqual(
      refusedSteps.map(({ name, isError }) => [name, isError]),
      [['admission', true]],
    )
  })

  it('contain neither arguments, results, credentials nor data of users', async () => {
    const text = 'canary argument'
    const created = await call(`${NOTES}__create_note`, { args: { title: text, text } })
    assert.equal(created.isError, false, JSON.stringify(created))
    await untilExported()
    const exported = receiver.bodies.join('\n')
    assert.match(exported, /create_note/)
    for (const secret of ['canary', 'Canary', t.organization.key, 'Bearer', 'ana@example.com'])
      assert.ok(!exported.includes(secret), `the exported spans contain ${secret}`)
  })
})

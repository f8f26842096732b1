import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { CallProgress } from '../../src/features/tools/admission/admit-call.ts'
import { createBulkhead } from '../../src/features/upstream/traffic/bulkhead.ts'
import { createTraffic } from '../../src/features/upstream/traffic/traffic.ts'
import { createBrowserUser, linkNotes } from '../support/browser-user.ts'
import { eventually } from '../support/eventually.ts'
import {
  type Exchange,
  event,
  type HostileServer,
  type Message,
  result,
  startHostileMcp,
  stream,
} from '../support/hostile-mcp.ts'
import { joinTestService, type TestService } from '../support/test-service.ts'
import { caller, type MakeCall } from '../support/tool-calls.ts'

const metaOf = ({ params: { _meta: meta } }: Message): Record<string, unknown> | undefined => meta

describe('provider calls', () => {
  let t: TestService
  let server: HostileServer
  let user: { id: string }
  const tools = [
    { name: 'act', description: 'Acts.', inputSchema: { type: 'object' } },
    {
      name: 'look',
      description: 'Looks.',
      inputSchema: { type: 'object' },
      annotations: { readOnlyHint: true },
    },
  ]

  before(async () => {
    t = await joinTestService()
    server = await startHostileMcp()
    server.reset({ 'tools/list': exchange => result(exchange, { tools }) })
    const added = await t.call('POST', '/api/v1/connectors', {
      body: { name: 'Theirs', slug: 'theirs', url: server.url },
    })
    assert.equal(added.status, 201, added.text)
    user = await t.createUser()
    await linkNotes(createBrowserUser(), (await t.mint(user.id)).magic_link_url)
  })
  after(async () => {
    await t.stop()
    await server.close()
  })
  beforeEach(() => server.reset({}))

  const call: MakeCall = (name, rest) => caller(t, user.id)(name, rest)
  const lastRecord = async () =>
    (
      await t.query(
        'select outcome, counted, error_code from tool_calls where registered_user_id = $1 order by started_at desc, id desc limit 1',
        [user.id],
      )
    )[0]
  const steps = () => server.requests.map(({ step }) => step)
  const notesRequests = () => t.sandbox.ledger.filter(({ kind }) => kind === 'notes.list').length

  it('canceled by the caller: aborted at the provider with a notification, and never counted', async () => {
    let closed = false
    server.reset({
      'tools/call': ({ response }) => response.on('close', () => (closed = true)),
      'notifications/cancelled': ({ response }) => response.writeHead(202).end(),
    })
    const controller = new AbortController()
    const calling = assert.rejects(call('theirs__look', { signal: controller.signal }), { code: 'cancelled' })
    await eventually(async () => assert.ok(steps().includes('tools/call')))
    controller.abort()
    await calling
    await eventually(async () => assert.ok(closed && steps().includes('notifications/cancelled')))
    const sent = server.requests.filter(({ step }) => step === 'tools/call')
    assert.equal(sent.length, 1, 'the call is not retried')
    const { params } = server.requests.find(({ step }) => step === 'notifications/cancelled')!.message
    assert.equal(params.requestId, sent[0]?.message.id)
    assert.deepEqual(await lastRecord(), { outcome: 'error', counted: false, error_code: 'cancelled' })
  })

  it('the request of an HTTP tool is aborted in the same way, without waiting', async () => {
    t.sandbox.script({ target: 'notes', behavior: 'hang' })
    const controller = new AbortController()
    const calling = call('sandbox-notes__list_notes', { signal: controller.signal })
    // The fault is consumed when the request has arrived.
    await Promise.all([
      assert.rejects(calling, { code: 'cancelled' }),
      eventually(async () => assert.deepEqual(t.sandbox.pendingFaults(), [])).finally(() =>
        controller.abort(),
      ),
    ])
    assert.deepEqual(await lastRecord(), { outcome: 'error', counted: false, error_code: 'cancelled' })
  })

  it('canceled before the start: no provider is called', async () => {
    const earlier = notesRequests()
    await assert.rejects(call('sandbox-notes__list_notes', { signal: AbortSignal.abort() }), {
      code: 'cancelled',
    })
    await assert.rejects(call('theirs__look', { signal: AbortSignal.abort() }), { code: 'cancelled' })
    assert.deepEqual([notesRequests(), steps()], [earlier, []])
  })

  it('a canceled caller does not abort the handshake that another caller waits for', async () => {
    const fresh = await t.createUser()
    let finish: () => void = () => undefined
    server.reset({
      initialize: exchange => {
        finish = () =>
          result(exchange, {
            protocolVersion: '2025-11-25',
            capabilities: {},
            serverInfo: { name: 'h', version: '1' },
          })
      },
    })
    const controller = new AbortController()
    const ofUser = { registeredUserId: fresh.id }
    const first = assert.rejects(call('theirs__act', { ...ofUser, signal: controller.signal }), {
      code: 'cancelled',
    })
    await eventually(async () => assert.ok(steps().includes('initialize')))
    const second = call('theirs__act', ofUser)
    await delay(50)
    controller.abort()
    await first
    finish()
    assert.equal((await second).isError, false)
    assert.equal(steps().filter(step => step === 'initialize').length, 1)
  })

  it('forwards the progress of its own call in order, and no other message of the server', async () => {
    const sendMessage = (exchange: Exchange, params: unknown, method = 'notifications/progress') =>
      exchange.response.write(event({ jsonrpc: '2.0', method, params }))
    server.reset({
      'tools/call': exchange => {
        const { progressToken } = metaOf(exchange.message) ?? {}
        stream(exchange)
        sendMessage(exchange, { progressToken: 'another', progress: 1 })
        sendMessage(exchange, { level: 'info', data: 'a log line', progressToken }, 'notifications/message')
        sendMessage(exchange, { progressToken, progress: 1, total: 2, message: 'half\u202e way' })
        sendMessage(exchange, { progressToken, progress: 1 })
        sendMessage(exchange, { progressToken, progress: 0.5 })
        sendMessage(exchange, { progressToken, progress: 2, total: 2 })
        exchange.response.end(
          event({
            jsonrpc: '2.0',
            id: exchange.message.id,
            result: { content: [{ type: 'text', text: 'done' }] },
          }),
        )
      },
    })
    const received: CallProgress[] = []
    const answer = await call('theirs__act', { onProgress: progress => void received.push(progress) })
    assert.deepEqual(received, [
      { progress: 1, total: 2, message: 'half way' },
      { progress: 2, total: 2 },
    ])
    assert.deepEqual(answer.content, [{ type: 'text', text: 'done' }])
    await call('theirs__act')
    assert.equal(
      metaOf(server.requests.at(-1)!.message),
      undefined,
      'progress is not requested without a listener',
    )
  })

  it('a secret that the server echoes in progress or errors does not reach the model', async () => {
    const secret = 'sesame-open-4711'
    const slug = 'echoing'
    const body = { name: 'Echo', slug, url: server.url, authentication: 'organization_secret', secret }
    server.reset({ 'tools/list': exchange => result(exchange, { tools }) })
    assert.equal((await t.call('POST', '/api/v1/connectors', { body })).status, 201)
    const received: CallProgress[] = []
    server.reset({
      'tools/call': exchange => {
        const { progressToken } = metaOf(exchange.message) ?? {}
        const params = { progressToken, progress: 1, message: `with ${secret}` }
        stream(exchange).write(event({ jsonrpc: '2.0', method: 'notifications/progress', params }))
        const error = { code: -32603, message: `${secret} is no good` }
        exchange.response.end(event({ jsonrpc: '2.0', id: exchange.message.id, error }))
      },
    })
    await assert.rejects(call(`${slug}__act`, { onProgress: progress => void received.push(progress) }), {
      message: 'Echo rejected the call: [REDACTED:CREDENTIAL] is no good',
      retryable: false,
    })
    assert.deepEqual(received, [{ progress: 1, message: 'with [REDACTED:CREDENTIAL]' }])
  })

  it('progress does not extend the deadline', async () => {
    server.reset({
      'tools/call': exchange => {
        const { progressToken } = metaOf(exchange.message) ?? {}
        const response = stream(exchange)
        let progress = 0
        const timer = setInterval(
          () =>
            response.write(
              event({
                jsonrpc: '2.0',
                method: 'notifications/progress',
                params: { progressToken, progress: ++progress },
              }),
            ),
          20,
        )
        response.on('close', () => clearInterval(timer))
      },
    })
    const features = t.service.features as typeof t.service.features & { callTimeoutMs?: number }
    features.callTimeoutMs = 300
    try {
      await assert.rejects(call('theirs__look', { onProgress: () => undefined }), {
        code: 'third_party_timeout',
        retryable: true,
      })
    } finally {
      delete features.callTimeoutMs
    }
  })

  describe('retries', () => {
    const failing = (status: number, headers = {}) => {
      server.reset({ 'tools/call': ({ response }) => response.writeHead(status, headers).end() })
    }
    const tries = () => steps().filter(step => step === 'tools/call').length

    it('once if the tool is read-only and the provider was unavailable', async () => {
      for (const status of [502, 503, 504]) {
        failing(status)
        await assert.rejects(call('theirs__look'), { code: 'third_party_error', retryable: true })
        assert.equal(tries(), 2, String(status))
        server.reset({})
        assert.equal((await call('theirs__look')).isError, false)
      }
      t.sandbox.script({ target: 'notes', behavior: 'reset' })
      assert.equal((await call('sandbox-notes__list_notes')).isError, false)
    })

    it('not if the call may have been carried out, and the error says so', async () => {
      failing(502)
      await assert.rejects(call('theirs__act'), /It may have been carried out: check before/)
      assert.equal(tries(), 1)
      const withKey = await call('theirs__act', { idempotencyKey: 'k-502' }).catch((error: unknown) => error)
      assert.match((withKey as Error).message, /It may have been carried out/)
      assert.equal((withKey as { carriedOut: string }).carriedOut, 'unknown')
      assert.equal(tries(), 2, 'the server does not promise to recognize an idempotency key')
    })

    it('a write is repeated if its connector declares the header by which the provider recognizes it', async () => {
      const person = await t.createUser()
      const { magic_link_url } = await t.mint(person.id, { Connector: 'sandbox-notes' })
      await linkNotes(createBrowserUser(), magic_link_url)
      const title = `Once ${person.id}`
      const create = (idempotencyKey: string | null) =>
        caller(t, person.id)('sandbox-notes__create_note', { idempotencyKey, args: { title, text: 'x' } })
      t.sandbox.script({ target: 'notes', behavior: 'reset' })
      const { structuredContent: note } = await create('k-note')
      assert.equal(note?.title, title)
      t.sandbox.script({ target: 'notes', behavior: 'reset' })
      await assert.rejects(create(null), /It may have been carried out/)
      const sent = t.sandbox.ledger.filter(({ kind }) => kind === 'notes.create')
      assert.equal(sent.filter(({ outcome }) => outcome === 'fault').length, 2)
      assert.equal(sent.filter(({ outcome }) => outcome === 'ok').length, 1)
    })

    it('a refused connection: the error does not say that the call may have been carried out', async () => {
      const setUrl = (url: string) =>
        t.query(`update mcp_connectors set url = $1 where slug = 'theirs' and organization_id = $2`, [
          url,
          t.organization.id,
        ])
      await setUrl('http://localhost:1/')
      const failure = await call('theirs__act').catch((error: Error) => error)
      await setUrl(server.url)
      assert.match((failure as Error).message, /cannot be reached/)
      assert.doesNotMatch((failure as Error).message, /carried out/)
    })

    it('not after a response, nor before the time in Retry-After', async () => {
      for (const status of [409, 422, 429, 500]) {
        failing(status)
        await assert.rejects(call('theirs__look'), { retryable: status >= 429 })
        assert.equal(tries(), 1, String(status))
      }
      failing(503, { 'retry-after': '7' })
      await assert.rejects(call('theirs__look'), { retryable: true, retryAfterSeconds: 7 })
      assert.equal(tries(), 1)
    })
  })

  it('the error tells the model what failed, and whether and when to retry', async () => {
    server.reset({
      'tools/call': ({ response }) =>
        response
          .writeHead(429, {
            'retry-after': 'Wed, 21 Oct 2026 07:28:10 GMT',
            date: 'Wed, 21 Oct 2026 07:28:00 GMT',
          })
          .end(),
    })
    const { result: failed } = (await t.mcp(user.id, 'tools/call', { name: 'theirs__act', arguments: {} }))
      .body
    const { error } = failed.structuredContent
    assert.deepEqual(
      [failed.isError, error.code, error.retryable, error.retry_after_seconds],
      [true, 'third_party_rate_limited', true, 10],
    )
    assert.match(
      error.message,
      /Theirs responded with status 429\. Wait at least 10 seconds before you retry\./,
    )
    assert.deepEqual(JSON.parse(failed.content[0].text), failed.structuredContent)
  })

  it('hanging calls fill the bulkhead of their own provider only', async () => {
    const { features } = t.service
    const { traffic } = features
    features.traffic = createTraffic({
      bulkhead: createBulkhead({ maxInFlight: 3, maxQueued: 1, queueTimeoutMs: 100 }),
    })
    const controller = new AbortController()
    server.reset({
      'tools/call': () => undefined,
      'notifications/cancelled': ({ response }) => response.end(),
    })
    const hanging = Array.from({ length: 3 }, () => call('theirs__act', { signal: controller.signal }))
    const ended = Promise.allSettled(hanging)
    await eventually(async () => assert.equal(steps().filter(step => step === 'tools/call').length, 3))
    const busy = { code: 'third_party_busy', retryable: true, retryAfterSeconds: 2 }
    await Promise.all([
      assert.rejects(call('theirs__act'), busy),
      assert.rejects(call('theirs__act'), busy),
      call('sandbox-notes__list_notes'),
    ])
    controller.abort()
    await ended
    server.reset({})
    assert.equal((await call('theirs__act')).isError, false, 'the bulkhead has capacity again')
    features.traffic = traffic
  })

  it('the circuit breaker of an unavailable server opens, and other providers are called', async () => {
    server.reset({ 'tools/call': ({ response }) => response.writeHead(503).end() })
    for (let round = 0; round < 6; round++) await call('theirs__act').catch(() => undefined)
    assert.equal(steps().filter(step => step === 'tools/call').length, 5)
    await assert.rejects(call('theirs__act'), (error: { retryAfterSeconds: number; code: string }) => {
      assert.equal(error.code, 'third_party_unavailable')
      assert.ok(error.retryAfterSeconds > 0 && error.retryAfterSeconds <= 10)
      return true
    })
    assert.equal((await call('sandbox-notes__list_notes')).isError, false)
  })
})

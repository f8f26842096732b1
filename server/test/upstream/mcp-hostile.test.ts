import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, it } from 'node:test'
import { gzipSync } from 'node:zlib'
import { callMcpTool, type McpResponse } from '../../src/features/upstream/mcp-client/call-mcp-tool.ts'
import { type Inspection, inspectServer } from '../../src/features/upstream/mcp-client/inspect-server.ts'
import { createMcpSessions, type McpSessions } from '../../src/features/upstream/mcp-client/sessions.ts'
import { allowLoopback, createEgress } from '../../src/platform/egress/egress.ts'
import {
  type Canary,
  type Exchange,
  event,
  type HostileServer,
  json,
  result,
  type StepHandler,
  startCanary,
  startHostileMcp,
  stream,
  TOOL,
} from '../support/hostile-mcp.ts'

const CREDENTIAL = 'canary-credential-4711'
const headers = { Authorization: `Bearer ${CREDENTIAL}` }
const egress = createEgress({ [allowLoopback]: true })
/** For attacks that only the deadline ends. The byte limits are those of production. */
const SHORT = 200
/** For all others: an attack that no other limit stops would hang the test. */
const LONG = 600_000
let timeoutMs = LONG
const BOMB = gzipSync(Buffer.alloc(64 * 1024 * 1024, ' '))
const MAX_MEMORY_GROWTH = 96 * 1024 * 1024

let server: HostileServer
let canary: Canary
let sessions: McpSessions

before(async () => {
  server = await startHostileMcp()
  canary = await startCanary()
})
beforeEach(() => {
  sessions = createMcpSessions()
  timeoutMs = LONG
})
after(async () => {
  await Promise.all([server.close(), canary.close()])
  await egress.close()
})

const inspect = (): Promise<Inspection> => inspectServer({ egress, timeoutMs }, { url: server.url, headers })
const call = (revision: string | null = '2025-11-25', sessionKey = 'k'): Promise<McpResponse> =>
  callMcpTool(
    { egress, sessions, timeoutMs },
    { url: server.url, headers, name: 'Acme', revision, sessionKey },
    { upstreamName: 'act', inputSchema: { type: 'object' } },
    {},
  )
const outcomeOf = (outcome: Inspection | McpResponse): string => {
  if (outcome.kind === 'refused') return outcome.reason
  return outcome.kind === 'failed' ? outcome.refusal.code : outcome.kind
}
/** The message for the caller. The JSON of an error does not contain it. */
const messageOf = (outcome: Inspection | McpResponse): string =>
  outcome.kind === 'failed' ? outcome.refusal.message : JSON.stringify(outcome)
const answered = () => steps().filter(step => step === 'answer').length
const steps = () => server.requests.map(({ step }) => step)

/** Writes repeatedly until the client disconnects. */
const pump = ({ response }: Exchange, part: string | Buffer, everyMs: number): void => {
  const timer = setInterval(() => response.write(part), everyMs)
  response.on('close', () => clearInterval(timer))
}
const raw = ({ response }: Exchange, bytes: string | Buffer): void => void response.socket?.end(bytes)
const httpJson = (body: string | Buffer, extra = ''): Buffer =>
  Buffer.concat([
    Buffer.from(
      `HTTP/1.1 200 OK\r\ncontent-type: application/json\r\n${extra}content-length: ${Buffer.byteLength(body)}\r\n\r\n`,
    ),
    Buffer.from(body),
  ])
const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels)

/** The handler of the attack, and the expected outcome of an inspection and of a call. */
const attacks: [name: string, handler: StepHandler, inspected: string, called: string][] = [
  [
    'an endless body',
    exchange => {
      exchange.response
        .writeHead(200, { 'content-type': 'application/json' })
        .write('{"jsonrpc":"2.0","result":"')
      pump(exchange, 'x'.repeat(256 * 1024), 1)
    },
    'too_large',
    'third_party_error',
  ],
  [
    'endless events',
    exchange => {
      stream(exchange)
      pump(
        exchange,
        event({
          jsonrpc: '2.0',
          method: 'notifications/progress',
          params: { x: 'x'.repeat(64 * 1024) },
        }).repeat(4),
        1,
      )
    },
    'too_large',
    'third_party_error',
  ],
  [
    'events with comments only',
    exchange => {
      stream(exchange)
      pump(exchange, ':\n\n', 1)
    },
    'timeout',
    'third_party_timeout',
  ],
  [
    'single bytes at long intervals',
    exchange => {
      exchange.response.writeHead(200, { 'content-type': 'application/json' })
      pump(exchange, ' ', 50)
    },
    'timeout',
    'third_party_timeout',
  ],
  ['no response', () => undefined, 'timeout', 'third_party_timeout'],
  [
    'a gzip bomb',
    ({ response }) =>
      response.writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'gzip' }).end(BOMB),
    'too_large',
    'third_party_error',
  ],
  [
    'a response to another request',
    ({ response }) => json(response, { jsonrpc: '2.0', id: 'other', result: { tools: [TOOL] } }),
    'not_mcp',
    'third_party_error',
  ],
  [
    'a response with a numeric ID',
    ({ response }) => json(response, { jsonrpc: '2.0', id: 1, result: { tools: [TOOL] } }),
    'not_mcp',
    'third_party_error',
  ],
  [
    'responses to other requests, then the end',
    exchange =>
      stream(exchange).end(event({ jsonrpc: '2.0', id: 'other', result: { tools: [TOOL] } }).repeat(100)),
    'not_mcp',
    'third_party_error',
  ],
  [
    'an HTML page',
    ({ response }) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
    'not_mcp',
    'third_party_error',
  ],
  [
    'an HTML page labeled as JSON',
    ({ response }) => response.writeHead(200, { 'content-type': 'application/json' }).end('<html>'),
    'not_mcp',
    'third_party_error',
  ],
  [
    'JSON that is not a message',
    ({ response }) => json(response, [1, null, 'x', {}]),
    'not_mcp',
    'third_party_error',
  ],
  ['an empty response', ({ response }) => response.writeHead(202).end(), 'not_mcp', 'third_party_error'],
  [
    'bytes that are not UTF-8',
    exchange => raw(exchange, httpJson(Buffer.from([0x7b, 0xff, 0xfe, 0x7d]))),
    'not_mcp',
    'third_party_error',
  ],
  [
    'events that are not UTF-8',
    exchange => stream(exchange).end(Buffer.from([0x64, 0xff, 0xfe, 0x0a, 0x0a])),
    'not_mcp',
    'third_party_error',
  ],
  [
    'a response nested deeper than the stack',
    ({ message, response }) =>
      response
        .writeHead(200, { 'content-type': 'application/json' })
        .end(
          `{"jsonrpc":"2.0","id":"${String(message.id)}","result":{"tools":[],"content":[],"x":${deep(100_000)}}}`,
        ),
    'not_mcp',
    'third_party_error',
  ],
  [
    'oversized headers',
    exchange => raw(exchange, `HTTP/1.1 200 OK\r\n${'x-h: y\r\n'.repeat(20_000)}\r\n`),
    'unreachable',
    'third_party_unavailable',
  ],
  [
    'a header with a line break',
    exchange => raw(exchange, httpJson('{}', 'x-a: b\nmcp-session-id: c\r\n\x00: d\r\n')),
    'unreachable',
    'third_party_unavailable',
  ],
  [
    'a truncated body',
    exchange =>
      raw(
        exchange,
        'HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{"jsonrpc"',
      ),
    'unreachable',
    'third_party_unavailable',
  ],
  [
    'a closed connection',
    ({ request }) => request.socket.resetAndDestroy(),
    'unreachable',
    'third_party_unavailable',
  ],
  [
    'a response that is not HTTP',
    exchange => raw(exchange, 'SSH-2.0-OpenSSH\r\n'),
    'unreachable',
    'third_party_unavailable',
  ],
  [
    'an unknown content encoding',
    ({ message, response }) =>
      response
        .writeHead(200, { 'content-type': 'application/json', 'content-encoding': 'rot13' })
        .end(JSON.stringify(message)),
    'not_mcp',
    'third_party_error',
  ],
  [
    'a JSON-RPC error',
    ({ response }) => response.writeHead(500).end('x'.repeat(100_000)),
    'failing',
    'third_party_error',
  ],
  ['status 429', ({ response }) => response.writeHead(429).end(), 'failing', 'third_party_rate_limited'],
  ['status 403', ({ response }) => response.writeHead(403).end(), 'forbidden', 'third_party_forbidden'],
  ['status 401', ({ response }) => response.writeHead(401).end(), 'unauthorized', 'unauthorized'],
  [
    'invalid lists and contents',
    exchange => result(exchange, { tools: { length: 3 }, content: 'text' }),
    'not_mcp',
    'third_party_error',
  ],
]

describe('a hostile MCP server', () => {
  for (const [name, handler, inspected, called] of attacks)
    it(`is handled: ${name}`, async () => {
      if (called === 'third_party_timeout') timeoutMs = SHORT
      const earlier = process.memoryUsage().rss
      for (const [kind, expected, run] of [
        ['listing', inspected, () => inspect()],
        ['calling', called, () => call()],
      ] as const) {
        server.reset({ 'tools/list': handler, 'tools/call': handler })
        const outcome = await run()
        assert.equal(outcomeOf(outcome), expected, `${kind}: ${messageOf(outcome)}`)
        assert.doesNotMatch(messageOf(outcome), new RegExp(CREDENTIAL))
      }
      assert.ok(process.memoryUsage().rss - earlier < MAX_MEMORY_GROWTH, 'memory stays bounded')
      await sessions.stop()
    })

  for (const [name, handler, , called] of attacks)
    it(`is handled in the handshake: ${name}`, async () => {
      if (called === 'third_party_timeout') timeoutMs = SHORT
      server.reset({ initialize: handler })
      const outcome = await call()
      assert.notEqual(outcome.kind, 'result')
      assert.equal(sessions.size(), 0, 'no session is stored')
      await sessions.stop()
    })

  it('redirects are not followed, with or without the credential', async () => {
    for (const status of [301, 302, 303, 307, 308])
      for (const step of ['server/discover', 'initialize', 'tools/list', 'tools/call']) {
        server.reset({ [step]: ({ response }) => response.writeHead(status, { location: canary.url }).end() })
        const outcome = step === 'tools/call' ? await call('2025-11-25', `${status}`) : await inspect()
        assert.match(outcomeOf(outcome), /redirected|third_party_error/, `${status} ${step}`)
      }
    assert.deepEqual(canary.requests, [])
  })

  it('each step is requested once, even after 401', async () => {
    server.reset(
      Object.fromEntries(
        ['server/discover', 'initialize', 'tools/call'].map(step => [
          step,
          ({ response }: Exchange) =>
            response.writeHead(401, { 'www-authenticate': 'Bearer scope="a"' }).end(),
        ]),
      ),
    )
    assert.deepEqual(await inspect(), { kind: 'unauthorized', challenge: 'Bearer scope="a"' })
    assert.deepEqual(await call(null), { kind: 'unauthorized', challenge: 'Bearer scope="a"' })
    assert.deepEqual(await call('2026-07-28'), { kind: 'unauthorized', challenge: 'Bearer scope="a"' })
    assert.deepEqual(steps(), ['server/discover', 'server/discover', 'tools/call'])
  })

  it('may request more scopes', async () => {
    const challenge = 'Bearer error="insufficient_scope", scope="read write"'
    server.reset({
      'tools/call': ({ response }) => response.writeHead(403, { 'www-authenticate': challenge }).end(),
    })
    assert.deepEqual(await call(), { kind: 'insufficient_scope', scopes: ['read', 'write'] })
  })

  it('the number of tools is limited, on one page or on many', async () => {
    const many = (count: number) => Array.from({ length: count }, (_, at) => ({ ...TOOL, name: `t${at}` }))
    server.reset({ 'tools/list': exchange => result(exchange, { tools: many(2000) }) })
    assert.equal(outcomeOf(await inspect()), 'too_many_tools')
    // More values than are parsed.
    server.reset({ 'tools/list': exchange => result(exchange, { tools: many(10_000) }) })
    assert.equal(outcomeOf(await inspect()), 'not_mcp')
    server.reset({
      'tools/list': exchange =>
        result(exchange, { tools: many(101), nextCursor: String(server.requests.length) }),
    })
    assert.equal(outcomeOf(await inspect()), 'too_many_tools')
    assert.equal(steps().filter(step => step === 'tools/list').length, 5)
    server.reset({
      'tools/list': exchange => result(exchange, { tools: [], nextCursor: String(server.requests.length) }),
    })
    assert.equal(outcomeOf(await inspect()), 'too_many_tools')
    assert.equal(steps().filter(step => step === 'tools/list').length, 50)
  })

  it('the size limit applies to all pages together', async () => {
    const padding = 'x'.repeat(240 * 1024)
    server.reset({
      'tools/list': exchange =>
        result(exchange, { tools: [], padding, nextCursor: String(server.requests.length) }),
    })
    assert.equal(outcomeOf(await inspect()), 'too_large')
    assert.equal(steps().filter(step => step === 'tools/list').length, 5)
  })

  it('repeated cursors end the listing', async () => {
    const cursors = ['a', 'b', 'a']
    server.reset({
      'tools/list': exchange =>
        result(exchange, {
          tools: [TOOL],
          nextCursor: cursors[server.requests.filter(({ step }) => step === 'tools/list').length - 1],
        }),
    })
    const outcome = await inspect()
    assert.ok(outcome.kind === 'ready')
    assert.equal(outcome.tools.length, 3)
  })

  it('an invalid session ID is rejected and injects no header', async () => {
    const body = (id: unknown) =>
      JSON.stringify({
        jsonrpc: '2.0',
        id,
        result: { protocolVersion: '2025-11-25', capabilities: {}, serverInfo: {} },
      })
    for (const name of ['a\r\n x-evil: 1', 'a b', 'é', 'a\x01', 'x'.repeat(2000), '', '\t']) {
      server.reset({
        initialize: exchange =>
          raw(exchange, httpJson(body(exchange.message.id), `mcp-session-id: ${name}\r\n`)),
      })
      const outcome = await inspect()
      assert.match(outcomeOf(outcome), /not_mcp|unreachable/, JSON.stringify(name))
      assert.ok(server.requests.every(request => request.headers['x-evil'] === undefined))
    }
  })

  it('requests to the client are rejected with an error, and a ping is answered', async () => {
    const methods = ['sampling/createMessage', 'elicitation/create', 'roots/list', 'ping']
    server.reset({
      'tools/call': exchange => {
        const open = stream(exchange)
        for (const [at, method] of methods.entries()) open.write(event({ jsonrpc: '2.0', id: at, method }))
        const timer = setInterval(() => {
          if (steps().filter(step => step === 'answer').length < methods.length) return
          clearInterval(timer)
          open.end(event({ jsonrpc: '2.0', id: exchange.message.id, result: { content: [] } }))
        }, 10)
      },
    })
    assert.equal(outcomeOf(await call()), 'result')
    const answers = server.requests.filter(({ step }) => step === 'answer').map(({ message }) => message)
    assert.deepEqual(
      answers
        .map(({ id, error, result: given }) => [id, error?.code ?? given])
        .toSorted((a, b) => Number(a[0]) - Number(b[0])),
      [
        [0, -32601],
        [1, -32601],
        [2, -32601],
        [3, {}],
      ],
    )
    assert.ok(
      server.requests
        .filter(({ step }) => step === 'answer')
        .every(request => request.headers['mcp-session-id'] === 'session-1'),
    )
  })

  it('the number of responses to the server is limited', async () => {
    server.reset({
      'tools/call': exchange => {
        const open = stream(exchange)
        for (let at = 0; at < 500; at++) open.write(event({ jsonrpc: '2.0', id: at, method: 'ping' }))
        const end = () =>
          open.end(event({ jsonrpc: '2.0', id: exchange.message.id, result: { content: [] } }))
        server.handlers.answer = ({ response }) => {
          if (answered() === 8) setTimeout(end, 100)
          return response.writeHead(202).end()
        }
      },
    })
    assert.equal(outcomeOf(await call()), 'result')
    assert.equal(answered(), 8)
  })

  it('an interrupted stream is resumed a limited number of times', async () => {
    let rest = 2
    const interrupt: StepHandler = exchange => {
      const open = stream(exchange)
      open.write('id: 5\nretry: 1\ndata:\n\n')
      const id = server.requests.find(({ step }) => step === 'tools/call')?.message.id
      open.end(rest-- > 0 ? '' : event({ jsonrpc: '2.0', id, result: { content: [] } }))
    }
    server.reset({ 'tools/call': interrupt, GET: interrupt })
    assert.equal(outcomeOf(await call()), 'result')
    const resumed = server.requests.filter(({ step }) => step === 'GET')
    assert.deepEqual(
      resumed.map(request => [request.headers['last-event-id'], request.headers['mcp-session-id']]),
      [
        ['5', 'session-1'],
        ['5', 'session-1'],
      ],
    )
    rest = 1000
    server.reset({ 'tools/call': interrupt, GET: interrupt })
    assert.equal(outcomeOf(await call()), 'third_party_error')
    assert.equal(steps().filter(step => step === 'GET').length, 3)
    server.reset({ 'tools/call': exchange => stream(exchange).end('id: 5\nretry: 999999999\n\n') })
    timeoutMs = SHORT
    assert.equal(outcomeOf(await call()), 'third_party_timeout')
  })

  it('error messages are sanitized and truncated', async () => {
    const text = `\u001b[31mfail\u202e\u200b\n\n${'x'.repeat(2000)}`
    server.reset({
      'tools/call': ({ message, response }) =>
        json(response, { jsonrpc: '2.0', id: message.id, error: { code: -32602, message: text } }),
    })
    const answer = await call()
    assert.ok(answer.kind === 'failed')
    assert.match(
      answer.refusal.message,
      /^Acme rejected the call: \[31mfail x+…\. Change the arguments; the same call will fail again\.$/,
    )
    assert.ok(answer.refusal.message.length < 600)
    server.reset({
      'tools/list': ({ message, response }) =>
        json(response, { jsonrpc: '2.0', id: message.id, error: { code: -32603, message: text } }),
    })
    const inspected = await inspect()
    assert.ok(inspected.kind === 'refused')
    assert.match(inspected.message, /^The server rejected the request: \[31mfail x{400,}…$/)
    assert.ok(inspected.message.length < 540)
  })

  it('a link in an elicitation does not reach the user', async () => {
    const url = 'https://evil.example/phish'
    server.reset({
      'tools/call': ({ message, response }) =>
        json(response, {
          jsonrpc: '2.0',
          id: message.id,
          error: { code: -32042, message: url, data: { elicitations: [{ url }] } },
        }),
    })
    const refused = await call()
    assert.match(messageOf(refused), /needs input from a person/)
    assert.doesNotMatch(messageOf(refused), /evil/)
    server.reset({
      'tools/call': exchange =>
        result(exchange, {
          resultType: 'input_required',
          inputRequests: { a: { method: 'elicitation/create', params: { url } } },
        }),
    })
    const answer = await call('2026-07-28')
    assert.ok(answer.kind === 'failed')
    assert.match(answer.refusal.message, /needs input from a person/)
    assert.doesNotMatch(answer.refusal.message, /evil/)
  })

  describe('tasks of a server', () => {
    const POLL = { taskId: 'their-task', ttlMs: null, pollIntervalMs: 1, createdAt: '', lastUpdatedAt: '' }
    const startsTask = (exchange: Exchange) =>
      result(exchange, { ...POLL, resultType: 'task', status: 'working' })

    it('the call returns the result of the task, which the server is polled for', async () => {
      let polls = 0
      server.reset({
        'tools/call': startsTask,
        'tasks/get': exchange => {
          polls++
          if (polls === 1) return json(exchange.response, {}, 503)
          const status = polls < 4 ? 'working' : 'completed'
          const content = [{ type: 'text', text: 'done later' }]
          return result(exchange, { ...POLL, status, ...(polls >= 4 && { result: { content } }) })
        },
      })
      const answer = await call('2026-07-28')
      assert.ok(answer.kind === 'result', JSON.stringify(answer))
      assert.deepEqual(answer.result.content, [{ type: 'text', text: 'done later' }])
      const [first, next] = server.requests
      const { _meta: meta } = first?.message.params ?? {}
      assert.deepEqual(meta?.['io.modelcontextprotocol/clientCapabilities'], {
        extensions: { 'io.modelcontextprotocol/tasks': {} },
      })
      assert.deepEqual([next?.message.params.taskId, next?.headers['mcp-name']], ['their-task', 'their-task'])
      assert.deepEqual(steps(), ['tools/call', ...Array(4).fill('tasks/get')])
    })

    it('one that asks for input is cancelled, and neither its question nor its link is passed on', async () => {
      const params = { mode: 'url', url: 'https://evil.example/phish', message: 'Open it' }
      server.reset({
        'tools/call': startsTask,
        'tasks/get': exchange =>
          result(exchange, {
            ...POLL,
            status: 'input_required',
            inputRequests: { a: { method: 'elicitation/create', params } },
          }),
        'tasks/cancel': exchange => result(exchange, {}),
      })
      const answer = await call('2026-07-28')
      assert.ok(answer.kind === 'failed')
      const { code, carriedOut, message } = answer.refusal
      assert.deepEqual([code, carriedOut], ['upstream_input_required', 'unknown'])
      assert.doesNotMatch(message, /evil|Open it/)
      assert.deepEqual(steps(), ['tools/call', 'tasks/get', 'tasks/cancel'])
    })

    it('a poll that fails never repeats the call, and its outcome is unknown', async () => {
      const ends: StepHandler[] = [
        ({ response }) => json(response, {}, 401),
        ({ response }) => json(response, {}, 404),
        ({ message, response }) =>
          json(response, { jsonrpc: '2.0', id: message.id, error: { code: -32602, message: 'no task' } }),
        exchange => result(exchange, { ...POLL, status: 'completed' }),
        exchange => result(exchange, { ...POLL, status: 'cancelled' }),
        exchange => result(exchange, { ...POLL, status: 'failed' }),
        exchange => result(exchange, { status: 7 }),
      ]
      for (const end of ends) {
        server.reset({ 'tools/call': startsTask, 'tasks/get': end })
        const answer = await call('2026-07-28')
        assert.ok(answer.kind === 'failed', JSON.stringify(answer))
        const { carriedOut, retryable } = answer.refusal
        assert.deepEqual([carriedOut, retryable, answer.outage], ['unknown', false, null])
        assert.deepEqual(steps(), ['tools/call', 'tasks/get'])
      }
    })

    it('a server without an ID for its task, and one of an older revision, return no valid result', async () => {
      for (const task of [
        { resultType: 'task' },
        { ...POLL, resultType: 'task', taskId: 'x'.repeat(2000) },
      ]) {
        server.reset({ 'tools/call': exchange => result(exchange, task) })
        assert.equal((await call('2026-07-28')).kind, 'failed')
        assert.deepEqual(steps(), ['tools/call'])
      }
      server.reset({ 'tools/call': startsTask })
      assert.equal((await call()).kind, 'failed')
      assert.ok(!steps().includes('tasks/get'))
    })
  })
})

describe('a server that lost its session', () => {
  const forget: StepHandler = ({ response }) =>
    json(response, { jsonrpc: '2.0', id: null, error: { code: -32001, message: 'Session not found' } }, 404)

  it('is initialized again once', async () => {
    server.reset({})
    assert.equal(outcomeOf(await call()), 'result')
    server.reset({ 'tools/call': forget })
    assert.equal(outcomeOf(await call()), 'third_party_error')
    assert.deepEqual(steps(), ['tools/call', 'initialize', 'notifications/initialized', 'tools/call'])
  })

  it('is not initialized again directly after an initialization', async () => {
    server.reset({ 'tools/call': forget })
    assert.equal(outcomeOf(await call()), 'third_party_error')
    assert.deepEqual(steps(), ['initialize', 'notifications/initialized', 'tools/call'])
  })

  it('is initialized again for every way of reporting it, and the call is repeated', async () => {
    const responses: StepHandler[] = [
      forget,
      ({ response }) => response.writeHead(404).end(),
      ({ response }) => response.writeHead(400).end('Invalid or missing session ID'),
      ({ response }) =>
        json(
          response,
          {
            jsonrpc: '2.0',
            id: null,
            error: { code: -32000, message: 'Bad Request: No valid session ID provided' },
          },
          400,
        ),
    ]
    for (const [at, respond] of responses.entries()) {
      server.reset({})
      await call('2025-11-25', `respond ${at}`)
      let first = true
      server.reset({
        'tools/call': exchange => {
          if (!first) return result(exchange, { content: [] })
          first = false
          return respond(exchange)
        },
      })
      assert.equal(outcomeOf(await call('2025-11-25', `respond ${at}`)), 'result')
    }
  })

  it('a call that was rejected because of its content is not repeated', async () => {
    server.reset({})
    await call()
    for (const status of [200, 400]) {
      server.reset({
        'tools/call': ({ message, response }) =>
          json(response, { jsonrpc: '2.0', id: message.id, error: { code: -32602, message: 'bad' } }, status),
      })
      assert.equal(outcomeOf(await call()), 'third_party_rejected')
      assert.deepEqual(steps(), ['tools/call'])
    }
  })
})

describe('sessions', () => {
  it('are per user, shared by concurrent calls, and closed', async () => {
    server.reset({})
    await Promise.all([call('2025-11-25', 'ann'), call('2025-11-25', 'ann'), call('2025-11-25', 'bob')])
    assert.equal(steps().filter(step => step === 'initialize').length, 2)
    assert.equal(sessions.size(), 2)
    await sessions.stop()
    const ended = server.requests.filter(({ step }) => step === 'DELETE')
    assert.deepEqual(
      ended.map(request => [request.headers['mcp-session-id'], request.headers.authorization]),
      ['ann', 'bob'].map(() => ['session-1', headers.Authorization]),
    )
  })

  it('above the limit the least recently used one is closed', async () => {
    server.reset({})
    sessions = createMcpSessions({ maxSessions: 2 })
    for (const user of ['a', 'b', 'a', 'c', 'a']) await call('2025-11-25', user)
    assert.equal(sessions.size(), 2)
    assert.equal(steps().filter(step => step === 'initialize').length, 3)
    await call('2025-11-25', 'b')
    assert.equal(steps().filter(step => step === 'initialize').length, 4)
    await sessions.stop()
  })

  it('are closed when idle', async () => {
    let now = 0
    server.reset({})
    sessions = createMcpSessions({ now: () => now })
    await call()
    now = 4 * 60_000
    await call()
    assert.equal(steps().filter(step => step === 'initialize').length, 1)
    now = 10 * 60_000
    await call('2025-11-25', 'another user')
    assert.equal(sessions.size(), 1)
    await sessions.stop()
  })

  it('stopping does not wait for a server that does not respond', async () => {
    server.reset({ DELETE: () => undefined })
    await call()
    await sessions.stop()
  })
})

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { createFollow } from '../src/event-stream.ts'
import { type CarabinerError, createClient, type WebhookEvent } from '../src/index.ts'

type Step = Response | Error | ((signal: AbortSignal) => Promise<Response>)

const sse = (text: string, status = 200) =>
  new Response(text, { status, headers: { 'content-type': 'text/event-stream; charset=utf-8' } })
const message = (n: number) => `id: ${n}-0\ndata: {"sequence":${n}}\n\n`
const failure = (status: number, headers: Record<string, string> = {}) =>
  Response.json({ error: { type: 'x', code: 'some_code', message: 'No.' } }, { status, headers })
/** Sends text, and then neither sends more nor closes the connection. */
const silent = (text: string) => async (signal: AbortSignal) =>
  new Response(
    new ReadableStream<Uint8Array>({
      start: controller => {
        controller.enqueue(new TextEncoder().encode(text))
        signal.addEventListener('abort', () => controller.error(signal.reason))
      },
    }),
    { headers: { 'content-type': 'text/event-stream' } },
  )

/** Follows a stream whose connections are the given ones, in order. */
const follow = (steps: Step[], options: object = {}) => {
  const positions: (string | null)[] = []
  const delays: number[] = []
  const stream = createFollow(
    {
      headers: { authorization: 'Bearer cb_sk_test_1' },
      baseUrl: 'https://connect.example.com',
      timeoutMs: 1000,
      retries: 2,
      fetch: async (_url, init = {}) => {
        positions.push(new Headers(init.headers).get('last-event-id'))
        const step = steps.shift() ?? failure(401)
        if (step instanceof Error) throw step
        return typeof step === 'function' ? step(init.signal as AbortSignal) : step
      },
    },
    {
      now: Date.now,
      random: () => 1,
      sleep: async (milliseconds, signal) => {
        signal?.throwIfAborted()
        delays.push(milliseconds)
      },
      newKey: () => '',
    },
  )<WebhookEvent>('/events/stream', options)
  const received: (number | null)[] = []
  const read = async () => {
    for await (const { sequence } of stream) received.push(sequence)
  }
  return { stream, positions, delays, received, read }
}

test('event stream: continues after the last event when the service closes the connection', async () => {
  const { positions, received, read, stream } = follow([
    sse(`retry: 3000\n\n:\n\n${message(1)}${message(2)}`),
    sse('id: 5-0\n\n'),
    sse(message(6)),
  ])
  await assert.rejects(read(), { status: 401 }, 'a revoked key ends the stream')
  assert.deepEqual(received, [1, 2, 6])
  assert.deepEqual(positions, [null, '2-0', '5-0', '6-0'])
  assert.equal(stream.lastEventId, '6-0')
})

test('event stream: starts after the given position', async () => {
  const { positions, read } = follow([], { lastEventId: '9-0' })
  await assert.rejects(read(), { status: 401 })
  assert.deepEqual(positions, ['9-0'])
})

test('event stream: an event that was not received completely is not returned', async () => {
  const { received, positions, read } = follow([sse(`${message(1)}id: 2-0\ndata: {"sequ`)])
  await assert.rejects(read())
  assert.deepEqual(received, [1])
  assert.deepEqual(positions, [null, '1-0'])
})

test('event stream: reconnects after errors of the network, the service and a proxy, with backoff', async () => {
  const lost: string[] = []
  let connections = 0
  const { delays, received, read } = follow(
    [
      sse(`retry: 1000\n\n${message(1)}`),
      new TypeError('fetch failed'),
      new Response('<h1>Bad gateway</h1>', { status: 502 }),
      failure(503, { 'retry-after': '40' }),
      failure(429),
      sse(message(2)),
    ],
    {
      onConnect: () => connections++,
      onDisconnect: (error: CarabinerError, delayMs: number) => lost.push(`${error.code} ${delayMs}`),
    },
  )
  await assert.rejects(read(), { status: 401 })
  assert.deepEqual(received, [1, 2])
  assert.deepEqual(delays, [1000, 2000, 4000, 44_000, 16_000, 1000])
  assert.equal(connections, 2)
  assert.deepEqual(lost, [
    'network_error 1000',
    'network_error 2000',
    'unexpected_response 4000',
    'some_code 44000',
    'some_code 16000',
    'network_error 1000',
  ])
})

test('event stream: the first connection fails after as many retries as other requests', async () => {
  const unreachable = Array.from({ length: 9 }, () => new TypeError('fetch failed'))
  const { positions, read } = follow(unreachable)
  await assert.rejects(read(), { code: 'network_error' })
  assert.equal(positions.length, 3)
  const once = follow(unreachable, { retries: 0 })
  await assert.rejects(once.read(), { code: 'network_error' })
  assert.equal(once.positions.length, 1)
})

for (const [what, response] of [
  ['JSON instead of a stream', () => Response.json({ data: [] })],
  ['a redirect', () => new Response(null, { status: 302, headers: { location: 'https://x.example' } })],
  ['an event that is not JSON', () => sse('data: <p>\n\n')],
] as const)
  test(`event stream: ${what} is an unexpected response`, async () =>
    assert.rejects(follow([response()]).read(), { code: 'unexpected_response' }))

test('event stream: a connection without heartbeats is replaced', async () => {
  mock.timers.enable({ apis: ['setTimeout'] })
  try {
    const { stream, positions, received } = follow([silent(message(1)), sse(message(2))])
    const iterator = stream[Symbol.asyncIterator]()
    received.push((await iterator.next()).value?.sequence)
    const next = iterator.next()
    // The timer starts when the next event is awaited.
    await new Promise(resolve => setImmediate(resolve))
    mock.timers.tick(44_999)
    assert.equal(positions.length, 1)
    mock.timers.tick(1)
    received.push((await next).value?.sequence)
    await iterator.return?.()
    assert.deepEqual(received, [1, 2])
    assert.deepEqual(positions, [null, '1-0'])
  } finally {
    mock.timers.reset()
  }
})

test('event stream: aborting ends it with the reason, and leaving the loop closes the connection', async () => {
  const stop = new AbortController()
  const aborted = follow([silent(message(1))], { signal: stop.signal })
  const reading = aborted.read()
  await new Promise(resolve => setImmediate(resolve))
  stop.abort('enough')
  await assert.rejects(reading, reason => reason === 'enough')

  let isClosed = false
  const left = follow([
    signal => {
      signal.addEventListener('abort', () => (isClosed = true))
      return silent(message(1))(signal)
    },
  ])
  for await (const { sequence } of left.stream) if (sequence === 1) break
  assert.ok(isClosed)
})

test('event stream: an error of a callback is thrown', async () => {
  const fail = () => {
    throw new Error('of the application')
  }
  await assert.rejects(follow([sse(message(1))], { onConnect: fail }).read(), /of the application/)
})

test('event stream: the client sends the key, and follows no redirect', async () => {
  const sent: RequestInit[] = []
  const fetch: typeof globalThis.fetch = async (_url, init = {}) => {
    sent.push(init)
    return sse(message(1))
  }
  const client = createClient({ apiKey: 'cb_sk_test_1', baseUrl: 'https://connect.example.com', fetch })
  for await (const { sequence } of client.events.stream()) if (sequence === 1) break
  assert.equal(new Headers(sent[0]?.headers).get('authorization'), 'Bearer cb_sk_test_1')
  assert.equal(sent[0]?.redirect, 'manual')
})

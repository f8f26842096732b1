import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { CarabinerError, createClient } from '../src/index.ts'
import { path } from '../src/path.ts'
import { readRetryAfter } from '../src/read-response.ts'
import { type ApiRequest, createSend, type Method, type PostOptions, timeOfCall } from '../src/send.ts'

const API_KEY = 'cb_sk_live_secret'
type Step = Response | Error | ((init: RequestInit) => Promise<Response>)

const errorResponse = (status: number, code: string, headers: Record<string, string> = {}) =>
  Response.json(
    {
      error: {
        type: 'rate_limit',
        code,
        message: 'Wait.',
        param: 'limit',
        request_id: 'req_1',
        documentation_url: 'https://connect.example.com/docs/errors#x',
      },
    },
    { status, headers },
  )
const ok = () => Response.json({ id: '1' })
const connectionError = () => new TypeError('fetch failed')

/** A client that receives the given responses in order, and records its requests and the delays between them. */
const createTestClient = (steps: Step[], settings: { retries?: number; timeoutMs?: number } = {}) => {
  const sent: RequestInit[] = []
  const delays: number[] = []
  let keys = 0
  const send = createSend(
    {
      headers: { authorization: `Bearer ${API_KEY}` },
      baseUrl: 'https://connect.example.com',
      timeoutMs: 1000,
      retries: 2,
      ...settings,
      fetch: async (_url, init = {}) => {
        sent.push(init)
        const step = steps.shift() ?? ok()
        if (step instanceof Error) throw step
        return typeof step === 'function' ? step(init) : step
      },
    },
    {
      now: () => Date.parse('2026-01-01T00:00:00Z'),
      random: () => 0.5,
      sleep: async (milliseconds, signal) => {
        signal?.throwIfAborted()
        delays.push(milliseconds)
      },
      newKey: () => `key-${++keys}`,
    },
  )
  return {
    sent,
    delays,
    keys: () => sent.map(({ headers }) => new Headers(headers).get('idempotency-key')),
    call: (method: Method, options?: PostOptions, request?: ApiRequest) =>
      send<unknown>(method, '/x', options, request),
  }
}

const errorOf = async (promise: Promise<unknown>): Promise<CarabinerError> => {
  const error = await promise.then(
    () => assert.fail('it succeeded'),
    (cause: unknown) => cause,
  )
  assert.ok(error instanceof CarabinerError, String(error))
  return error
}

for (const [what, step] of [
  ['429', () => errorResponse(429, 'rate_limited', { 'retry-after': '3' })],
  ['503', () => errorResponse(503, 'unavailable', { 'retry-after': '3' })],
] as const) {
  test(`${what} is retried after Retry-After plus jitter`, async () => {
    const { call, delays } = createTestClient([step(), step(), ok()])
    assert.deepEqual(await call('GET'), { id: '1' })
    assert.deepEqual(delays, [3125, 3250])
  })
}

test('a connection error is retried with increasing delays', async () => {
  const { call, delays } = createTestClient([connectionError(), connectionError(), ok()])
  await call('GET')
  assert.deepEqual(delays, [125, 250])
})

test('the number of retries is limited, and the last error has all details', async () => {
  const { call, sent } = createTestClient(
    Array.from({ length: 9 }, () => errorResponse(429, 'rate_limited', { 'retry-after': '1' })),
  )
  const error = await errorOf(call('GET'))
  assert.equal(sent.length, 3)
  assert.deepEqual(Object.fromEntries(Object.entries(error)), {
    name: 'CarabinerError',
    status: 429,
    code: 'rate_limited',
    type: 'rate_limit',
    param: 'limit',
    requestId: 'req_1',
    retryAfter: 1,
    documentationUrl: 'https://connect.example.com/docs/errors#x',
  })
  assert.equal(error.message, 'Wait.')
})

test('a long Retry-After is reported instead of awaited', async () => {
  const { call, sent } = createTestClient([errorResponse(429, 'rate_limited', { 'retry-after': '3600' })])
  assert.equal((await errorOf(call('GET'))).retryAfter, 3600)
  assert.equal(sent.length, 1)
})

test('a POST is retried with the same idempotency key', async () => {
  const { call, keys } = createTestClient([
    connectionError(),
    errorResponse(409, 'idempotency_in_progress', { 'retry-after': '1' }),
    ok(),
  ])
  await call('POST', {}, { body: {} })
  assert.deepEqual(keys(), ['key-1', 'key-1', 'key-1'])
  const given = createTestClient([connectionError(), ok()])
  await given.call('POST', { idempotencyKey: 'mine' })
  assert.deepEqual(given.keys(), ['mine', 'mine'])
})

for (const [what, method, request] of [
  ['PATCH', 'PATCH', {}],
  ['PUT', 'PUT', {}],
  ['a POST whose response shows a key once', 'POST', { once: true }],
] as const) {
  test(`${what} is not retried`, async () => {
    const { call, sent, keys } = createTestClient([connectionError()])
    assert.equal((await errorOf(call(method, {}, request))).code, 'network_error')
    assert.equal(sent.length, 1)
    assert.deepEqual(keys(), [null])
  })
}

for (const status of [400, 401, 403, 404, 409, 500]) {
  test(`status ${status} is not retried`, async () => {
    const { call, sent } = createTestClient([errorResponse(status, 'some_code')])
    assert.equal((await errorOf(call('GET'))).status, status)
    assert.equal(sent.length, 1)
  })
}

test('a DELETE that is retried after a connection error succeeds with 404', async () => {
  assert.equal(
    await createTestClient([connectionError(), errorResponse(404, 'not_found')]).call('DELETE'),
    undefined,
  )
  const rejected = createTestClient([errorResponse(503, 'unavailable'), errorResponse(404, 'not_found')])
  assert.equal((await errorOf(rejected.call('DELETE'))).status, 404, 'an error response has deleted nothing')
})

test('a response that never arrives is a timeout', async () => {
  const never: Step = ({ signal }) =>
    new Promise((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    )
  const { call } = createTestClient([never, never], { timeoutMs: 20, retries: 1 })
  const error = await errorOf(call('GET'))
  assert.deepEqual([error.code, error.status, error.type], ['timeout', 0, 'connection_error'])
})

test('aborting ends the call, also between two attempts, with the given reason', async () => {
  const before = createTestClient([ok()])
  await assert.rejects(before.call('GET', { signal: AbortSignal.abort('gone') }), reason => reason === 'gone')
  assert.equal(before.sent.length, 0)

  const stop = new AbortController()
  const between = createTestClient([
    async () => {
      stop.abort('enough')
      throw connectionError()
    },
  ])
  await assert.rejects(between.call('GET', { signal: stop.signal }), reason => reason === 'enough')
  assert.equal(between.sent.length, 1)
})

for (const [what, respond] of [
  ['a page of a proxy', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ['truncated JSON', () => new Response('{"id":', { headers: { 'content-type': 'application/json' } })],
  ['JSON of another server', () => Response.json({ message: 'no' }, { status: 418 })],
  [
    'a redirect',
    () => new Response(null, { status: 302, headers: { location: 'https://elsewhere.example' } }),
  ],
  ['an empty success', () => new Response('', { status: 200 })],
] as const) {
  test(`${what} is reported as an unexpected response`, async () => {
    const { call, sent } = createTestClient([respond()])
    const error = await errorOf(call('GET'))
    assert.equal(error.code, 'unexpected_response')
    assert.match(error.message, /baseUrl/)
    assert.equal(sent[0]?.redirect, 'manual', 'redirects are not followed, so the key is sent nowhere else')
  })
}

test('a printed client or error does not show the key', async () => {
  const client = createClient({
    apiKey: API_KEY,
    baseUrl: 'https://connect.example.com',
    retries: 0,
    fetch: async () => {
      throw connectionError()
    },
  })
  const error = await errorOf(client.organization.get())
  for (const value of [client, error])
    for (const text of [inspect(value, { depth: 9, showHidden: true, getters: true }), JSON.stringify(value)])
      assert.doesNotMatch(text, /secret/)
})

test('a client with headers sends them instead of an API key, and the SDK sets the content type', async () => {
  const sent: Headers[] = []
  const client = createClient({
    headers: { 'carabiner-organization': 'o1', 'content-type': 'text/plain' },
    baseUrl: 'https://connect.example.com',
    fetch: async (_url, init) => {
      sent.push(new Headers(init?.headers))
      return Response.json({})
    },
  })
  await client.organization.update({ name: 'Orbit' })
  assert.deepEqual(Object.fromEntries(sent[0] as Headers), {
    accept: 'application/json',
    'carabiner-organization': 'o1',
    'content-type': 'application/json',
  })
})

for (const apiKey of ['', 'cb_sk_live_secret\n', 'a b', undefined as unknown as string]) {
  test(`an invalid API key is rejected without being shown: ${JSON.stringify(apiKey)}`, () =>
    assert.throws(
      () => createClient({ apiKey, baseUrl: 'https://connect.example.com' }),
      (error: Error) => error instanceof TypeError && !inspect(error).includes('secret'),
    ))
}

for (const baseUrl of [
  '',
  'connect.example.com',
  'ftp://x',
  'https://user:pw@x',
  'https://x/?a=1',
  'https://x/#a',
])
  test(`an invalid baseUrl is rejected: "${baseUrl}"`, () =>
    assert.throws(() => createClient({ apiKey: 'k', baseUrl }), TypeError))

test('settings out of range are rejected', () => {
  for (const invalid of [
    { retries: -1 },
    { retries: 1.5 },
    { retries: 99 },
    { timeoutMs: 0 },
    { timeoutMs: Number.NaN },
  ])
    assert.throws(() => createClient({ apiKey: 'k', baseUrl: 'https://x', ...invalid }), RangeError)
})

test('path: a value cannot leave its segment', () => {
  assert.equal(path`/a/${'x/../y?z#'}/b`, '/a/x%2F..%2Fy%3Fz%23/b')
  for (const value of [
    '',
    '.',
    '..',
    '%2e%2E',
    '.%2e',
    undefined as unknown as string,
    3 as unknown as string,
  ])
    assert.throws(() => path`/a/${value}`, TypeError, value)
})

test('Retry-After is seconds or a date', () => {
  const now = Date.parse('2026-01-01T00:00:00Z')
  assert.equal(readRetryAfter(null, now), undefined)
  assert.equal(readRetryAfter('7', now), 7)
  assert.equal(readRetryAfter('Thu, 01 Jan 2026 00:00:09 GMT', now), 9)
  assert.equal(readRetryAfter('Thu, 01 Jan 2020 00:00:00 GMT', now), 0)
  assert.equal(readRetryAfter('soon', now), undefined)
})

test('a tool call sends only a key that it is given, and is retried only with one', async () => {
  const request = { body: {}, onlyGivenKey: true }
  const without = createTestClient([errorResponse(503, 'unavailable')])
  assert.equal((await errorOf(without.call('POST', {}, request))).code, 'unavailable')
  assert.deepEqual(without.keys(), [null])
  const lost = createTestClient([connectionError()])
  assert.equal((await errorOf(lost.call('POST', {}, request))).code, 'network_error')
  const keyed = createTestClient([connectionError()])
  await keyed.call('POST', { idempotencyKey: 'mine' }, request)
  assert.deepEqual(keyed.keys(), ['mine', 'mine'])
})

test('a request that waits extends the timeout of the client, but not one that the call sets', async () => {
  const never = (init: RequestInit): Promise<Response> =>
    new Promise((_, reject) => {
      init.signal?.addEventListener('abort', () => reject(init.signal?.reason as Error))
    })
  const messageOf = async (options: PostOptions) => {
    const { call } = createTestClient([never], { timeoutMs: 5, retries: 0 })
    return (await errorOf(call('POST', options, { onlyGivenKey: true, extraMs: 10 }))).message
  }
  assert.match(await messageOf({}), / 15 ms/)
  assert.match(await messageOf({ timeoutMs: 3 }), / 3 ms/)
  assert.deepEqual([timeOfCall({}), timeOfCall({ wait: 60 })], [30_000, 90_000])
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { inspect } from 'node:util'
import { CarabinerError, createClient } from '../src/index.ts'
import { path } from '../src/path.ts'
import { readRetryAfter } from '../src/read-response.ts'
import { type ApiRequest, createSend, type Method, type PostOptions } from '../src/send.ts'

const API_KEY = 'cb_sk_live_secret'
type Step = Response | Error | ((init: RequestInit) => Promise<Response>)

const refusal = (status: number, code: string, headers: Record<string, string> = {}) =>
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
const lost = () => new TypeError('fetch failed')

/** Plays one answer after the other, and keeps what was sent and how long it was waited between. */
const play = (steps: Step[], settings: { retries?: number; timeoutMs?: number } = {}) => {
  const sent: RequestInit[] = []
  const pauses: number[] = []
  let keys = 0
  const send = createSend(
    {
      apiKey: API_KEY,
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
        pauses.push(milliseconds)
      },
      newKey: () => `key-${++keys}`,
    },
  )
  return {
    sent,
    pauses,
    keys: () => sent.map(({ headers }) => new Headers(headers).get('idempotency-key')),
    call: (method: Method, options?: PostOptions, request?: ApiRequest) =>
      send<unknown>(method, '/x', options, request),
  }
}

const failure = async (promise: Promise<unknown>): Promise<CarabinerError> => {
  const error = await promise.then(
    () => assert.fail('it succeeded'),
    (cause: unknown) => cause,
  )
  assert.ok(error instanceof CarabinerError, String(error))
  return error
}

for (const [what, step] of [
  ['429', () => refusal(429, 'rate_limited', { 'retry-after': '3' })],
  ['503', () => refusal(503, 'unavailable', { 'retry-after': '3' })],
] as const) {
  test(`${what} is tried again after what Retry-After says, and a little more`, async () => {
    const { call, pauses } = play([step(), step(), ok()])
    assert.deepEqual(await call('GET'), { id: '1' })
    assert.deepEqual(pauses, [3125, 3250])
  })
}

test('a lost connection is tried again, later each time', async () => {
  const { call, pauses } = play([lost(), lost(), ok()])
  await call('GET')
  assert.deepEqual(pauses, [125, 250])
})

test('tries are bounded, and the last refusal is told with all that is known of it', async () => {
  const { call, sent } = play(
    Array.from({ length: 9 }, () => refusal(429, 'rate_limited', { 'retry-after': '1' })),
  )
  const error = await failure(call('GET'))
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

test('whoever is told to wait for long is told so instead of kept waiting', async () => {
  const { call, sent } = play([refusal(429, 'rate_limited', { 'retry-after': '3600' })])
  assert.equal((await failure(call('GET'))).retryAfter, 3600)
  assert.equal(sent.length, 1)
})

test('a POST is repeated with the key it began with', async () => {
  const { call, keys } = play([lost(), refusal(409, 'idempotency_in_progress', { 'retry-after': '1' }), ok()])
  await call('POST', {}, { body: {} })
  assert.deepEqual(keys(), ['key-1', 'key-1', 'key-1'])
  const given = play([lost(), ok()])
  await given.call('POST', { idempotencyKey: 'mine' })
  assert.deepEqual(given.keys(), ['mine', 'mine'])
})

for (const [what, method, request] of [
  ['PATCH', 'PATCH', {}],
  ['PUT', 'PUT', {}],
  ['a POST that shows a key once', 'POST', { once: true }],
] as const) {
  test(`never repeated: ${what}`, async () => {
    const { call, sent, keys } = play([lost()])
    assert.equal((await failure(call(method, {}, request))).code, 'network_error')
    assert.equal(sent.length, 1)
    assert.deepEqual(keys(), [null])
  })
}

for (const status of [400, 401, 403, 404, 409, 500]) {
  test(`never repeated: ${status}`, async () => {
    const { call, sent } = play([refusal(status, 'some_code')])
    assert.equal((await failure(call('GET'))).status, status)
    assert.equal(sent.length, 1)
  })
}

test('a removal whose first answer was lost is done when there is nothing left to remove', async () => {
  assert.equal(await play([lost(), refusal(404, 'not_found')]).call('DELETE'), undefined)
  const refused = play([refusal(503, 'unavailable'), refusal(404, 'not_found')])
  assert.equal((await failure(refused.call('DELETE'))).status, 404, 'a refusal removed nothing')
})

test('an answer that never comes is a timeout', async () => {
  const never: Step = ({ signal }) =>
    new Promise((_resolve, reject) =>
      signal?.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    )
  const { call } = play([never, never], { timeoutMs: 20, retries: 1 })
  const error = await failure(call('GET'))
  assert.deepEqual([error.code, error.status, error.type], ['timeout', 0, 'connection_error'])
})

test('aborting ends the call, also between two tries, with the reason given', async () => {
  const before = play([ok()])
  await assert.rejects(before.call('GET', { signal: AbortSignal.abort('gone') }), reason => reason === 'gone')
  assert.equal(before.sent.length, 0)

  const stop = new AbortController()
  const between = play([
    async () => {
      stop.abort('enough')
      throw lost()
    },
  ])
  await assert.rejects(between.call('GET', { signal: stop.signal }), reason => reason === 'enough')
  assert.equal(between.sent.length, 1)
})

for (const [what, answer] of [
  ['a page of a proxy', () => new Response('<h1>Bad gateway</h1>', { status: 502 })],
  ['JSON that is cut off', () => new Response('{"id":', { headers: { 'content-type': 'application/json' } })],
  ['JSON of somebody else', () => Response.json({ message: 'no' }, { status: 418 })],
  [
    'a redirect',
    () => new Response(null, { status: 302, headers: { location: 'https://elsewhere.example' } }),
  ],
  ['a success that says nothing', () => new Response('', { status: 200 })],
] as const) {
  test(`what is no answer of the service is said to be none: ${what}`, async () => {
    const { call, sent } = play([answer()])
    const error = await failure(call('GET'))
    assert.equal(error.code, 'unexpected_response')
    assert.match(error.message, /baseUrl/)
    assert.equal(sent[0]?.redirect, 'manual', 'the key is sent nowhere else')
  })
}

test('nothing that is printed shows the key', async () => {
  const client = createClient({
    apiKey: API_KEY,
    baseUrl: 'https://connect.example.com',
    retries: 0,
    fetch: async () => {
      throw lost()
    },
  })
  const error = await failure(client.organization.get())
  for (const value of [client, error])
    for (const text of [inspect(value, { depth: 9, showHidden: true, getters: true }), JSON.stringify(value)])
      assert.doesNotMatch(text, /secret/)
})

for (const apiKey of ['', 'cb_sk_live_secret\n', 'a b', undefined as unknown as string]) {
  test(`a key that cannot be one is refused without being shown: ${JSON.stringify(apiKey)}`, () =>
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
  test(`a baseUrl that is none is refused: "${baseUrl}"`, () =>
    assert.throws(() => createClient({ apiKey: 'k', baseUrl }), TypeError))

test('settings out of range are refused', () => {
  for (const wrong of [
    { retries: -1 },
    { retries: 1.5 },
    { retries: 99 },
    { timeoutMs: 0 },
    { timeoutMs: Number.NaN },
  ])
    assert.throws(() => createClient({ apiKey: 'k', baseUrl: 'https://x', ...wrong }), RangeError)
})

test('a value cannot leave its place in a path', () => {
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

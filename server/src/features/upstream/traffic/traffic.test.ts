import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRefusal, Refusal } from '../../../core/refusal.ts'
import { EgressError } from '../../../platform/egress/egress-error.ts'
import { explainEgress } from '../provider-error.ts'
import { failed, type ProviderResponse } from '../provider-response.ts'
import { createBulkhead } from './bulkhead.ts'
import { createTraffic, type Route, type Traffic } from './traffic.ts'

const never = new AbortController().signal
const route: Route = {
  organizationId: 'o',
  registeredUserId: 'u',
  connectorSlug: 'acme',
  origin: 'https://a.acme.example',
  name: 'Acme',
}
const down = failed(new Refusal('third_party_unavailable'), 'unreachable')
const slow = failed(new Refusal('third_party_timeout'), 'timeout')
const limited = failed(new Refusal('third_party_error'))
const fine: ProviderResponse = { kind: 'value', value: {} }

const call = (traffic: Traffic, answer: ProviderResponse, at = route) =>
  traffic.throughBreaker(at, never, () => Promise.resolve(answer))
const openBreaker = async (traffic: Traffic) => {
  for (const answer of [down, slow, down, slow, down]) await call(traffic, answer)
}
const rejectsWithRetryAfter = (seconds: number) => (error: unknown) =>
  isRefusal(error, 'third_party_unavailable') &&
  error.retryable === true &&
  error.retryAfterSeconds === seconds &&
  /Acme has failed several times in a row, so it was not called\. Try again in/.test(error.message)

test('traffic: a provider that failed five times is not called until a probe succeeds', async () => {
  let now = 0
  const traffic = createTraffic({ now: () => now })
  await openBreaker(traffic)
  let calls = 0
  const count = async () => {
    calls++
    return fine
  }
  await assert.rejects(traffic.throughBreaker(route, never, count), rejectsWithRetryAfter(10))
  now = 9_500
  await assert.rejects(traffic.throughBreaker(route, never, count), rejectsWithRetryAfter(1))
  now = 10_000
  await Promise.all([
    traffic.throughBreaker(route, never, count),
    assert.rejects(traffic.throughBreaker(route, never, count), rejectsWithRetryAfter(1)),
  ])
  assert.equal(calls, 1)
  await traffic.throughBreaker(route, never, count)
  assert.equal(traffic.size(), 0, 'a working route is not tracked')
})

test('traffic: a machine without free file descriptors does not open the breaker of a provider', async () => {
  const lookup = Object.assign(new Error('socket EMFILE'), { code: 'EMFILE' })
  const error = new EgressError('unreachable', 'a.acme.example cannot be reached.', lookup)
  const local = explainEgress('Acme', error)
  assert.equal(local.refusal.carriedOut, 'no')
  const traffic = createTraffic()
  for (let round = 0; round < 10; round++) assert.deepEqual(await call(traffic, local), local)
  assert.deepEqual(await call(traffic, fine), fine)
  for (const answer of [down, down, local, down, down, local, down]) await call(traffic, answer)
  await assert.rejects(
    call(traffic, fine),
    rejectsWithRetryAfter(10),
    'it does not count as available either',
  )
})

test('traffic: any response counts as available, and a cancelled call counts as nothing', async () => {
  const traffic = createTraffic()
  for (let round = 0; round < 10; round++) {
    for (const answer of [down, down, down, down, limited]) await call(traffic, answer)
    for (const answer of [down, down, { kind: 'unauthorized' } as const]) await call(traffic, answer)
  }
  const aborted = AbortSignal.abort()
  for (let round = 0; round < 10; round++)
    await traffic.throughBreaker(route, aborted, () => Promise.resolve(down))
  assert.deepEqual(await call(traffic, fine), fine)
})

test('traffic: failures of one origin, connector or organization do not affect another', async () => {
  const traffic = createTraffic()
  await openBreaker(traffic)
  for (const other of [{ origin: 'https://b.acme.example' }, { organizationId: 'p' }, { connectorSlug: 'b' }])
    assert.deepEqual(await call(traffic, fine, { ...route, ...other }), fine)
  await assert.rejects(call(traffic, fine), rejectsWithRetryAfter(10))
})

test('traffic: after a probe that throws the next call probes, and tracked routes are limited', async () => {
  let now = 0
  const traffic = createTraffic({ now: () => now, maxTracked: 3 })
  await openBreaker(traffic)
  now = 20_000
  await assert.rejects(
    traffic.throughBreaker(route, never, () => Promise.reject(new Error('a defect'))),
    /a defect/,
  )
  assert.deepEqual(await call(traffic, fine), fine)
  for (let i = 0; i < 10; i++) await call(traffic, down, { ...route, origin: `https://${i}.example` })
  assert.equal(traffic.size(), 3)
})

test('traffic: hanging calls of one user leave slots to other users of the organization', async () => {
  const bulkhead = createBulkhead({ maxInFlight: 3, maxQueued: 3, queueTimeoutMs: 20 })
  const traffic = createTraffic({
    bulkhead,
    perUserBulkhead: createBulkhead({ maxInFlight: 2, maxQueued: 9, queueTimeoutMs: 20 }),
  })
  const { promise: hung, resolve: letGo } = Promise.withResolvers<void>()
  const hanging = [1, 2].map(() => traffic.throughBulkhead(route, never, () => hung))
  const third = traffic.throughBulkhead(route, never, async () => 'third')
  await assert.rejects(third, error => isRefusal(error, 'third_party_busy'))
  const other = { ...route, registeredUserId: 'v' }
  assert.equal(await traffic.throughBulkhead(other, never, async () => 'through'), 'through')
  letGo()
  await Promise.all(hanging)
  assert.equal(await traffic.throughBulkhead(route, never, async () => 'free again'), 'free again')
})

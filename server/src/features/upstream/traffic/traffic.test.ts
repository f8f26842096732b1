import assert from 'node:assert/strict'
import { test } from 'node:test'
import { isRefusal, Refusal } from '../../../core/refusal.ts'
import { type Answer, failed } from '../provider-answer.ts'
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
const fine: Answer = { kind: 'value', value: {} }

const ask = (traffic: Traffic, answer: Answer, at = route) =>
  traffic.throughBreaker(at, never, () => Promise.resolve(answer))
const breakIt = async (traffic: Traffic) => {
  for (const answer of [down, slow, down, slow, down]) await ask(traffic, answer)
}
const refuses = (seconds: number) => (error: unknown) =>
  isRefusal(error, 'third_party_unavailable') &&
  error.retryable === true &&
  error.retryAfterSeconds === seconds &&
  /Acme has failed several times in a row, so it was not asked\. Try again in/.test(error.message)

test('a third party that failed five times is not asked until one probe has answered', async () => {
  let now = 0
  const traffic = createTraffic({ now: () => now })
  await breakIt(traffic)
  let asked = 0
  const count = async () => {
    asked++
    return fine
  }
  await assert.rejects(traffic.throughBreaker(route, never, count), refuses(10))
  now = 9_500
  await assert.rejects(traffic.throughBreaker(route, never, count), refuses(1))
  now = 10_000
  await Promise.all([
    traffic.throughBreaker(route, never, count),
    assert.rejects(traffic.throughBreaker(route, never, count), refuses(1)),
  ])
  assert.equal(asked, 1)
  await traffic.throughBreaker(route, never, count)
  assert.equal(traffic.size(), 0, 'nothing is remembered of what works')
})

test('an answer of any kind is no outage, and a cancelled call says nothing', async () => {
  const traffic = createTraffic()
  for (let round = 0; round < 10; round++) {
    for (const answer of [down, down, down, down, limited]) await ask(traffic, answer)
    for (const answer of [down, down, { kind: 'unauthorized' } as const]) await ask(traffic, answer)
  }
  const hungUp = AbortSignal.abort()
  for (let round = 0; round < 10; round++)
    await traffic.throughBreaker(route, hungUp, () => Promise.resolve(down))
  assert.deepEqual(await ask(traffic, fine), fine)
})

test('a mistyped address, another connector or another organization’s trouble is nobody else’s', async () => {
  const traffic = createTraffic()
  await breakIt(traffic)
  for (const other of [{ origin: 'https://b.acme.example' }, { organizationId: 'p' }, { connectorSlug: 'b' }])
    assert.deepEqual(await ask(traffic, fine, { ...route, ...other }), fine)
  await assert.rejects(ask(traffic, fine), refuses(10))
})

test('a probe that throws lets the next one try, and only so many ways are remembered', async () => {
  let now = 0
  const traffic = createTraffic({ now: () => now, most: 3 })
  await breakIt(traffic)
  now = 20_000
  await assert.rejects(
    traffic.throughBreaker(route, never, () => Promise.reject(new Error('a defect'))),
    /a defect/,
  )
  assert.deepEqual(await ask(traffic, fine), fine)
  for (let i = 0; i < 10; i++) await ask(traffic, down, { ...route, origin: `https://${i}.example` })
  assert.equal(traffic.size(), 3)
})

test('a user whose calls hang leaves places to the others of the organization', async () => {
  const bulkhead = createBulkhead({ most: 3, mostWaiting: 3, longestWait: 20 })
  const traffic = createTraffic({
    bulkhead,
    share: createBulkhead({ most: 2, mostWaiting: 9, longestWait: 20 }),
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

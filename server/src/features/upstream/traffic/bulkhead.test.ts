import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBulkhead } from './bulkhead.ts'

const never = new AbortController().signal

test('bulkhead: queues calls over the limit in order, and rejects calls over the queue limit', async () => {
  const bulkhead = createBulkhead({ maxInFlight: 2, maxQueued: 2, queueTimeoutMs: 5000 })
  const [first, second] = [await bulkhead.enter('a', never), await bulkhead.enter('a', never)]
  const order: string[] = []
  const third = bulkhead.enter('a', never).then(exit => (order.push('third'), exit))
  const fourth = bulkhead.enter('a', never).then(exit => (order.push('fourth'), exit))
  assert.equal(await bulkhead.enter('a', never), null, 'the queue is full')
  const otherKey = await bulkhead.enter('b', never)
  assert.ok(otherKey, 'another key has its own limit')
  first?.()
  ;(await third)?.()
  assert.ok(await fourth)
  assert.deepEqual(order, ['third', 'fourth'])
  ;(await fourth)?.()
  second?.()
  const again = [await bulkhead.enter('a', never), await bulkhead.enter('a', never)]
  assert.ok(again.every(Boolean), 'every slot was released')
})

test('bulkhead: a call that times out or is aborted in the queue releases its position', async () => {
  const bulkhead = createBulkhead({ maxInFlight: 1, maxQueued: 2, queueTimeoutMs: 30 })
  const exit = await bulkhead.enter('a', never)
  assert.equal(await bulkhead.enter('a', never), null)
  const caller = new AbortController()
  const queued = bulkhead.enter('a', caller.signal)
  caller.abort()
  assert.equal(await queued, null)
  assert.equal(await bulkhead.enter('a', caller.signal), null)
  exit?.()
  assert.ok(await bulkhead.enter('a', never))
})

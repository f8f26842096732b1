import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createBulkhead } from './bulkhead.ts'

const never = new AbortController().signal

test('calls over the room wait in order, and those over the queue are turned away', async () => {
  const bulkhead = createBulkhead({ most: 2, mostWaiting: 2, longestWait: 5000 })
  const [first, second] = [await bulkhead.enter('a', never), await bulkhead.enter('a', never)]
  const order: string[] = []
  const third = bulkhead.enter('a', never).then(exit => (order.push('third'), exit))
  const fourth = bulkhead.enter('a', never).then(exit => (order.push('fourth'), exit))
  assert.equal(await bulkhead.enter('a', never), null, 'the queue is full')
  const elsewhere = await bulkhead.enter('b', never)
  assert.ok(elsewhere, 'another key has room of its own')
  first?.()
  ;(await third)?.()
  assert.ok(await fourth)
  assert.deepEqual(order, ['third', 'fourth'])
  ;(await fourth)?.()
  second?.()
  const again = [await bulkhead.enter('a', never), await bulkhead.enter('a', never)]
  assert.ok(again.every(Boolean), 'every place came back')
})

test('nobody waits for longer than is said, nor after hanging up, and neither loses a place', async () => {
  const bulkhead = createBulkhead({ most: 1, mostWaiting: 2, longestWait: 30 })
  const exit = await bulkhead.enter('a', never)
  assert.equal(await bulkhead.enter('a', never), null)
  const caller = new AbortController()
  const waiting = bulkhead.enter('a', caller.signal)
  caller.abort()
  assert.equal(await waiting, null)
  assert.equal(await bulkhead.enter('a', caller.signal), null)
  exit?.()
  assert.ok(await bulkhead.enter('a', never))
})

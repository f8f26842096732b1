import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createExpiringCache } from './expiring-cache.ts'

test('expiring cache: a value is returned until its time is over', () => {
  let now = 0
  const cache = createExpiringCache<string>({ maxEntries: 2, now: () => now })
  cache.set('a', 'value', 1000)
  now = 999
  assert.equal(cache.get('a'), 'value')
  now = 1000
  assert.equal(cache.get('a'), undefined)
  now = 0
  assert.equal(cache.get('a'), undefined)
})

test('expiring cache: beyond the maximum the oldest entry is dropped', () => {
  const cache = createExpiringCache<number>({ maxEntries: 2, now: () => 0 })
  cache.set('a', 1, 1000)
  cache.set('b', 2, 1000)
  cache.set('a', 3, 1000)
  cache.set('c', 4, 1000)
  assert.deepEqual(
    ['a', 'b', 'c'].map(key => cache.get(key)),
    [3, undefined, 4],
  )
})

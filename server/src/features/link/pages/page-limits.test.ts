import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createPageLimits, networkOf } from './page-limits.ts'

test('page limits: addresses of one IPv6 /64 share an allowance', async () => {
  const limits = createPageLimits()
  for (let n = 0; n < 120; n++)
    assert.equal(await limits.take(`2001:db8:1:2::${n.toString(16)}`, 'post'), null)
  assert.notEqual(await limits.take('2001:db8:1:2:ffff::1', 'post'), null)
  assert.equal(await limits.take('2001:db8:1:3::1', 'post'), null)
})

test('page limits: each IPv4 address has its own limit, also if mapped to IPv6', () => {
  assert.equal(networkOf('192.0.2.1'), '192.0.2.1')
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1')
  assert.equal(networkOf('2001:DB8::1'), networkOf('2001:db8:0:0:1::'))
})

import assert from 'node:assert/strict'
import { mock, test } from 'node:test'
import { networkOf } from '../../core/addresses/network.ts'
import { createPageLimits } from './page-limits.ts'

test('page limits: addresses of one IPv6 /64 share an allowance', async () => {
  const limits = createPageLimits()
  for (let n = 0; n < 120; n++)
    assert.equal(await limits.take(`2001:db8:1:2::${n.toString(16)}`, 'post'), null)
  assert.notEqual(await limits.take('2001:db8:1:2:ffff::1', 'post'), null)
  assert.equal(await limits.take('2001:db8:1:3::1', 'post'), null)
})

test('page limits: registrations have their own allowance, which is renewed after a minute', async () => {
  mock.timers.enable({ apis: ['Date', 'setTimeout'] })
  try {
    const limits = createPageLimits()
    for (let n = 0; n < 300; n++) assert.equal(await limits.take('192.0.2.1', 'register'), null)
    assert.equal(await limits.take('192.0.2.1', 'register'), 60)
    for (const use of ['view', 'post', 'script'] as const)
      assert.equal(await limits.take('192.0.2.1', use), null)
    mock.timers.tick(60_000)
    assert.equal(await limits.take('192.0.2.1', 'register'), null)
  } finally {
    mock.timers.reset()
  }
})

test('page limits: each IPv4 address has its own limit, also if mapped to IPv6', () => {
  assert.equal(networkOf('192.0.2.1'), '192.0.2.1')
  assert.equal(networkOf('::ffff:192.0.2.1'), '192.0.2.1')
  assert.equal(networkOf('2001:DB8::1'), networkOf('2001:db8:0:0:1::'))
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureIsolation } from './support/isolation/measure.ts'

/**
 * Requests that were in flight when an attack ended, tasks beyond what an organization may queue, and calls of the attacker that
 * are withheld because their scan had to wait too long.
 */
const ALSO = ['aborted', 'check_capacity_exceeded', 'security_rule_blocked']

test('isolation: calls of one organization succeed while another one attacks in every way', async () => {
  const measured = await measureIsolation({ calls: 3, lanes: 2 })
  assert.equal(measured.length, 9)
  for (const { attack, victim, outcomes, expected } of measured) {
    assert.equal(victim.failed, 0, attack)
    const other = Object.keys(outcomes).filter(outcome => ![...expected, ...ALSO].includes(outcome))
    assert.deepEqual(other, [], attack)
  }
})

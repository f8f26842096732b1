import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureIsolation } from '../support/isolation/measure.ts'

/** One attack of each kind; `npm run proof:isolation` runs all of them. */
const ATTACKS = [
  'many patterns',
  'result: keys',
  'result: too many',
  'large list',
  'never resolve',
  'never answer',
]

test('isolation: calls of one organization succeed while another one attacks', async () => {
  const measured = await measureIsolation({ calls: 2, lanes: 1, only: ATTACKS })
  assert.equal(measured.length, ATTACKS.length + 1)
  for (const { attack, victim, unexpected } of measured) {
    assert.equal(victim.failed, 0, attack)
    assert.deepEqual(unexpected, [], attack)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureIsolation } from './support/isolation/measure.ts'

/** Requests that were in flight when an attack ended. */
const ALSO = ['aborted']

test('isolation: calls of one organization succeed while another one attacks in every way', async () => {
  const measured = await measureIsolation({ calls: 2, lanes: 1 })
  assert.equal(measured.length, 16)
  for (const { attack, victim, outcomes, expected } of measured) {
    assert.equal(victim.failed, 0, attack)
    const other = Object.keys(outcomes).filter(outcome => ![...expected, ...ALSO].includes(outcome))
    assert.deepEqual(other, [], attack)
  }
})

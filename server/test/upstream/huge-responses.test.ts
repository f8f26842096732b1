import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureHugeResponses } from '../support/huge/measure.ts'

// `npm run proof:memory` does the same with 1 GB.
test('huge responses are rejected at the size limit, and memory stays bounded', async () => {
  const { kinds, grownMb } = await measureHugeResponses(96 * 1024 * 1024, 1)
  assert.equal(Object.keys(kinds).length, 6)
  for (const [kind, outcomes] of Object.entries(kinds))
    assert.deepEqual(outcomes, ['failed', 'failed', 'failed', 'failed'], kind)
  assert.ok(grownMb < 64, `memory grew by ${grownMb} MB`)
})

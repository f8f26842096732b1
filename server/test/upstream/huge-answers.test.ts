import assert from 'node:assert/strict'
import { test } from 'node:test'
import { measureHugeResponses } from '../support/huge/measure.ts'

// `npm run proof:memory` does the same with a gigabyte.
test('an answer without end is cut at its cap, and the memory of the process with it', async () => {
  const { kinds, grownMb } = await measureHugeResponses(96 * 1024 * 1024, 1)
  assert.equal(Object.keys(kinds).length, 6)
  for (const [way, outcomes] of Object.entries(kinds))
    assert.deepEqual(outcomes, ['failed', 'failed', 'failed', 'failed'], way)
  assert.ok(grownMb < 64, `it grew by ${grownMb} MB`)
})

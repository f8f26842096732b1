import assert from 'node:assert/strict'
import { test } from 'node:test'
import { parseDuration } from './duration.ts'

test('duration: reads milliseconds and texts with units', () => {
  assert.deepEqual(
    [250, '31 minutes', '90 s', '1 day 6 hours', '1.5h', '500ms', '1 hour, 1 second'.replace(',', '')].map(
      parseDuration,
    ),
    [250, 1_860_000, 90_000, 108_000_000, 5_400_000, 500, 3_601_000],
  )
})

test('duration: rejects texts without a known unit, negative numbers and other text', () => {
  for (const invalid of ['', 'soon', '5', '5 lightyears', '-1 minute', 'about 5 minutes', -1, Number.NaN])
    assert.throws(() => parseDuration(invalid), RangeError, String(invalid))
})

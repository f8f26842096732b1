import assert from 'node:assert/strict'
import { test } from 'node:test'
import { traceIdOf } from './trace-id.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

test('traceIdOf: returns the trace ID of a valid traceparent and null otherwise', () => {
  for (const valid of [
    `00-${TRACE}-${PARENT}-01`,
    ` 00-${TRACE}-${PARENT}-00 `,
    `cc-${TRACE}-${PARENT}-01-more`,
  ])
    assert.equal(traceIdOf(valid), TRACE, valid)
  for (const invalid of [
    undefined,
    '',
    [`00-${TRACE}-${PARENT}-01`],
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${PARENT}`,
    `cc-${TRACE}-${PARENT}-01-${'m'.repeat(600)}`,
  ])
    assert.equal(traceIdOf(invalid), null, String(invalid))
})

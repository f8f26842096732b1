import assert from 'node:assert/strict'
import { test } from 'node:test'
import { formatTraceparent, parseTraceparent } from './traceparent.ts'

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736'
const PARENT = '00f067aa0ba902b7'

test('parseTraceparent: returns the context of a valid traceparent and null otherwise', () => {
  for (const [valid, isSampled] of [
    [`00-${TRACE}-${PARENT}-01`, true],
    [` 00-${TRACE}-${PARENT}-00 `, false],
    [`00-${TRACE}-${PARENT}-02`, false],
    [`cc-${TRACE}-${PARENT}-03-more`, true],
  ] as const)
    assert.deepEqual(parseTraceparent(valid), { traceId: TRACE, spanId: PARENT, isSampled }, valid)
  for (const invalid of [
    undefined,
    null,
    '',
    7,
    [`00-${TRACE}-${PARENT}-01`],
    `ff-${TRACE}-${PARENT}-01`,
    `00-${TRACE}-${PARENT}-01-more`,
    `00-${TRACE.toUpperCase()}-${PARENT}-01`,
    `00-${'0'.repeat(32)}-${PARENT}-01`,
    `00-${TRACE}-${'0'.repeat(16)}-01`,
    `00-${TRACE}-${PARENT}`,
    `cc-${TRACE}-${PARENT}-01-${'m'.repeat(600)}`,
  ])
    assert.equal(parseTraceparent(invalid), null, String(invalid))
})

test('formatTraceparent: is the inverse of parseTraceparent', () => {
  for (const text of [`00-${TRACE}-${PARENT}-01`, `00-${TRACE}-${PARENT}-00`]) {
    const context = parseTraceparent(text)
    assert.equal(context && formatTraceparent(context), text)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { defaultRules } from '../../test/rule-sets.ts'
import { MAX_DEPTH, scanValue, ValueTooDeepError } from '../scan/scan-value.ts'
import { redactValue } from './redact-value.ts'

const redact = (value: unknown): unknown => redactValue(value, scanValue(value, defaultRules))

test('strings, keys and numbers become placeholders; equal keys are numbered', () => {
  assert.deepEqual(
    redact({
      card: 4111111111111111,
      to: ['write jane@example.com now'],
      'jane@example.com': 1,
      'joe@example.com': { n: 2 },
    }),
    {
      card: '[REDACTED:CREDIT_CARD]',
      to: ['write [REDACTED:EMAIL_ADDRESS] now'],
      '[REDACTED:EMAIL_ADDRESS]': 1,
      '[REDACTED:EMAIL_ADDRESS] 2': { n: 2 },
    },
  )
})

test('the key of a value, and the key above it, count as context', () => {
  assert.deepEqual(redact({ ssn: 123456780, user: { passportNumber: '123456780' }, reference: 123456780 }), {
    ssn: '[REDACTED:US_SSN]',
    user: { passportNumber: '[REDACTED:US_PASSPORT]' },
    reference: 123456780,
  })
})

test('an entity split over content blocks becomes one placeholder', () => {
  const content = [
    { type: 'text', text: 'card 4111 11' },
    { type: 'text', text: '11 1111 ' },
    { type: 'text', text: '1111 ok' },
  ]
  assert.deepEqual(redact({ content }), {
    content: [
      { type: 'text', text: 'card [REDACTED:CREDIT_CARD]' },
      { type: 'text', text: '' },
      { type: 'text', text: ' ok' },
    ],
  })
})

test('a value without a match is returned as is, and redacting twice changes nothing', () => {
  const clean = { a: [1, 'two', null, true], b: { c: 1.5 } }
  assert.equal(redact(clean), clean)
  const once = redact({ a: 'jane@example.com', b: clean }) as { b: unknown }
  assert.equal(once.b, clean)
  assert.deepEqual(redact(once), once)
})

test('a key named __proto__ is preserved', () => {
  const redacted = redact(JSON.parse('{"__proto__": {"a": "jane@example.com"}}'))
  assert.equal(JSON.stringify(redacted), '{"__proto__":{"a":"[REDACTED:EMAIL_ADDRESS]"}}')
})

test('no member is lost if its placeholder exists as a key already', () => {
  const redacted = redact({ '[REDACTED:EMAIL_ADDRESS]': 1, 'jane@example.com': 2 })
  assert.deepEqual(Object.values(redacted as object), [1, 2])
})

test('a value nested too deep throws ValueTooDeepError', () => {
  let deep: unknown = 1
  for (let level = 0; level <= MAX_DEPTH; level++) deep = [deep]
  assert.throws(() => scanValue(deep, defaultRules), ValueTooDeepError)
})

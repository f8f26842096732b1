import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeError, errorCodes } from '@carabiner/contract'
import { isRefusal, Refusal } from './refusal.ts'

test('refusal: has the text of its code by default', () => {
  for (const code of errorCodes) assert.equal(new Refusal(code).message, describeError(code).text)
  assert.equal(new Refusal('invalid_request', { message: 'Exactly.' }).message, 'Exactly.')
})

test('refusal: carries its parameter, retry delay, methods and cause', () => {
  const cause = new Error('why')
  const refusal = new Refusal('unavailable', { param: 'p', retryAfterSeconds: 3, allow: ['GET'], cause })
  assert.deepEqual(
    [refusal.code, refusal.param, refusal.retryAfterSeconds, refusal.allow, refusal.cause, refusal.name],
    ['unavailable', 'p', 3, ['GET'], cause, 'Refusal'],
  )
})

test('refusal: isRefusal checks the class and the code', () => {
  assert.ok(isRefusal(new Refusal('not_found')))
  assert.ok(isRefusal(new Refusal('not_found'), 'not_found'))
  assert.ok(!isRefusal(new Refusal('not_found'), 'internal_error'))
  for (const other of [new Error('x'), { code: 'not_found' }, null, undefined, 'not_found'])
    assert.ok(!isRefusal(other))
})

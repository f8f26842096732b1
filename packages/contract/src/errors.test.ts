import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeError, errorCodes } from './errors.ts'

/** Types that each status allows. */
const TYPES_BY_STATUS: Record<number, string[]> = {
  400: ['validation_error'],
  401: ['authentication_error'],
  403: ['permission_error'],
  404: ['not_found'],
  405: ['validation_error'],
  409: ['conflict'],
  413: ['validation_error'],
  415: ['validation_error'],
  421: ['not_found'],
  429: ['rate_limit'],
  500: ['internal_error'],
  502: ['internal_error'],
  503: ['internal_error'],
  504: ['internal_error'],
}

test('error table: every code has a status, a matching type, a carrier and a message', () => {
  for (const code of errorCodes) {
    const { status, type, carrier, text } = describeError(code)
    assert.ok(TYPES_BY_STATUS[status]?.includes(type), `${code}: ${status} ${type}`)
    assert.match(carrier, /^(http|tool|both)$/, code)
    assert.match(text, /^[A-Za-z].+\.$/, code)
    assert.match(code, /^[a-z]+(_[a-z]+)*$/)
  }
})

test('error table: every code sent as an HTTP body has a documented status', () => {
  const documented = [400, 401, 403, 404, 405, 409, 413, 415, 421, 429, 500, 503]
  for (const code of errorCodes) {
    const { status, carrier } = describeError(code)
    if (carrier !== 'tool') assert.ok(documented.includes(status), `${code}: ${status}`)
  }
})

test('error table: codes of the specification have its spelling and statuses', () => {
  assert.equal(describeError('invalid_authorization_code').status, 400)
  assert.equal(describeError('authorization_code_expired').status, 400)
  assert.equal(describeError('code_does_not_belong_to_organization').status, 403)
  assert.equal(describeError('unauthorized_origin').status, 400)
  assert.equal(describeError('billing_limit_reached').carrier, 'both')
  assert.match(describeError('unauthorized_origin').text, /unauthorized origin/i)
})

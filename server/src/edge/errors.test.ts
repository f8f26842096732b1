import assert from 'node:assert/strict'
import { test } from 'node:test'
import { describeError, ErrorBody, errorCodes } from '@carabiner/contract'
import Fastify from 'fastify'
import { Value } from 'typebox/value'
import { Refusal } from '../core/refusal.ts'
import { issueToken } from '../core/token.ts'
import { createLog } from '../platform/log.ts'
import { errorObject, sendError, toRefusal } from './errors.ts'

const ORGANIZATION = '0190a5c1-7b1e-7f00-8000-00000000c0de'
const BASE = 'https://link.example.com'

const answering = (thrown: unknown) => {
  const lines: string[] = []
  const app = Fastify({ logger: false, genReqId: () => 'req_test' })
  app.setErrorHandler(sendError(BASE, createLog('debug', { write: line => void lines.push(line) })))
  app.get('/', () => {
    throw thrown
  })
  return { lines, answer: app.inject('/') }
}

test('errors: every code has its status and a body of the documented shape', async () => {
  for (const code of errorCodes) {
    const answer = await answering(new Refusal(code)).answer
    const { status, type, text } = describeError(code)
    assert.equal(answer.statusCode, status, code)
    assert.ok(Value.Check(ErrorBody, answer.json()), code)
    assert.deepEqual(answer.json().error, {
      type,
      code,
      message: text,
      request_id: 'req_test',
      documentation_url: `${BASE}/docs/errors#${code}`,
    })
  }
})

test('errors: the invalid parameter is named if there is one', () => {
  assert.equal(errorObject(new Refusal('invalid_request', { param: 'a.b' }), 'r', BASE).param, 'a.b')
  assert.ok(!('param' in errorObject(new Refusal('invalid_request'), 'r', BASE)))
})

test('errors: the body contains the retry advice if it is known', () => {
  const retryAdvice = (retryable?: boolean, retryAfterSeconds?: number) => {
    const details = {
      ...(retryable !== undefined && { retryable }),
      ...(retryAfterSeconds && { retryAfterSeconds }),
    }
    const { retryable: may, retry_after_seconds: when } = errorObject(
      new Refusal('third_party_error', details),
      'r',
      BASE,
    )
    return [may, when]
  }
  assert.deepEqual(retryAdvice(true, 7), [true, 7])
  assert.deepEqual(retryAdvice(false), [false, undefined])
  assert.deepEqual(
    retryAdvice(undefined, 7),
    [undefined, undefined],
    'elsewhere the Retry-After header is used',
  )
})

test('errors: Retry-After and Allow headers are set if known', async () => {
  const limited = await answering(new Refusal('rate_limited', { retryAfterSeconds: 7 })).answer
  assert.equal(limited.headers['retry-after'], '7')
  const method = await answering(new Refusal('method_not_allowed', { allow: ['GET', 'POST'] })).answer
  assert.equal(method.headers.allow, 'GET, POST')
  for (const code of ['missing_api_key', 'invalid_api_key'] as const)
    assert.equal((await answering(new Refusal(code)).answer).headers['www-authenticate'], 'Bearer')
})

test('errors: an unavailable database is 503 with a retry delay', async () => {
  for (const code of ['ECONNREFUSED', '57P01', '08006', '53300']) {
    const answer = await answering(Object.assign(new Error('database at 10.0.0.5'), { code })).answer
    assert.deepEqual([answer.statusCode, answer.json().error.code], [503, 'unavailable'], code)
    assert.match(String(answer.headers['retry-after']), /^[1-9]\d*$/)
    assert.doesNotMatch(answer.body, /10\.0\.0\.5/)
  }
})

test('errors: a write of a fenced organization is 503 with a retry delay, and not logged', async () => {
  const fenced = Object.assign(new Error('organization is being moved'), { code: 'ORG01', severity: 'ERROR' })
  const { lines, answer } = answering(fenced)
  const { statusCode, headers, ...response } = await answer
  const { code, retryable } = response.json().error
  assert.deepEqual([statusCode, code, retryable], [503, 'organization_moving', true])
  assert.match(String(headers['retry-after']), /^[1-9]\d*$/)
  assert.deepEqual(lines, [])
})

test('errors: a defect is returned without details, and logged without secrets', async () => {
  const token = issueToken('linkToken', ORGANIZATION)
  const { lines, answer } = answering(new TypeError(`canary near ${token}`))
  const { statusCode, body } = await answer
  assert.equal(statusCode, 500)
  assert.doesNotMatch(body, /canary|TypeError|stack|errors\.test/)
  const line = JSON.parse(lines[0] as string)
  assert.deepEqual([line.level, line.request_id, line.error.name], ['error', 'req_test', 'TypeError'])
  assert.match(line.error.message, /^canary near \[secret\]$/)
})

test('errors: a thrown value that is not an Error is a defect', async () => {
  for (const thrown of ['text', 42, { statusCode: 200 }, { code: 'not_found', statusCode: 404 }])
    assert.equal((await answering(thrown).answer).statusCode, 500, JSON.stringify(thrown))
})

test('errors: an expected refusal is not logged as a defect', async () => {
  const { lines, answer } = answering(new Refusal('not_found'))
  await answer
  assert.deepEqual(lines, [])
})

test('errors: a refusal is passed through', () => {
  const refusal = new Refusal('user_inactive')
  assert.equal(toRefusal(refusal), refusal)
})

test('errors: a full disk is 503 with a retry delay, not 500', async () => {
  const full = Object.assign(new Error('could not extend file'), { code: '53100', severity: 'ERROR' })
  const answer = await answering(full).answer
  assert.equal(answer.statusCode, 503)
  assert.ok(answer.headers['retry-after'])
})

import assert from 'node:assert/strict'
import { existsSync } from 'node:fs'
import { describe, it } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { type TokenKind, tokenPrefixes } from '@carabiner/contract'
import { Secret } from '../core/secret.ts'
import { issueToken } from '../core/token.ts'
import { createLog, type Log, openLogDestination, scrub } from './log.ts'

const logged = (write: (log: Log) => void): { text: string; line: Record<string, any> } => {
  let text = ''
  write(createLog('debug', { write: line => void (text += line) }))
  return { text, line: JSON.parse(text.split('\n')[0] ?? '') }
}
const kinds = Object.keys(tokenPrefixes) as TokenKind[]
const ORGANIZATION = '0190a5c1-7b1e-7f00-8000-00000000c0de'
const CANARY = 'canary-7f3a'

describe('a log line', () => {
  it('contains its level, its time, its process ID and allowed fields', () => {
    const { line } = logged(log => log.info({ request_id: 'req_1', status: 200, route: '/x' }, 'request'))
    assert.match(line.time, /^\d{4}-\d\d-\d\dT/)
    assert.deepEqual(
      { ...line, time: undefined },
      {
        level: 'info',
        time: undefined,
        pid: process.pid,
        request_id: 'req_1',
        status: 200,
        route: '/x',
        msg: 'request',
      },
    )
  })

  it('drops every field that is not allowed', () => {
    const fields = {
      authorization: CANARY,
      headers: { cookie: CANARY },
      body: CANARY,
      url: CANARY,
      query: { a: CANARY },
    }
    const { text, line } = logged(log =>
      log.warn({ ...fields, password: CANARY, Request_Id: CANARY, status: 1 }, 'x'),
    )
    assert.ok(!text.includes(CANARY), text)
    assert.deepEqual(Object.keys(line).toSorted(), ['level', 'msg', 'pid', 'status', 'time'])
  })

  it('drops nested fields that are not allowed', () => {
    const { text } = logged(log => log.warn({ reason: { token: CANARY }, code: [{ secret: CANARY }] }, 'x'))
    assert.ok(!text.includes(CANARY), text)
  })

  it('hides a typed secret', () => {
    const { text } = logged(log =>
      log.info({ reason: new Secret(CANARY) }, `with ${String(new Secret(CANARY))}`),
    )
    assert.ok(!text.includes(CANARY), text)
  })

  for (const kind of kinds) {
    const token = issueToken(kind, ORGANIZATION)
    const places: Record<string, (log: Log) => void> = {
      'a message': log => log.info(`got ${token}.`),
      'a message with an argument': log => log.info('got %s', token),
      'an allowed field': log => log.info({ reason: `was ${token}` }, 'x'),
      'an error': log => log.error({ error: new Error(`bad ${token}`) }, 'x'),
      'an err': log => log.error({ err: new Error(`bad ${token}`) }, 'x'),
      'an err without a message of its own': log => log.error({ err: new Error(`bad ${token}`) }),
      'an error alone': log => log.error(new Error(`bad ${token}`)),
      'an error that is a string': log => log.error({ error: `bad ${token}` }, 'x'),
      'the code of an error': log =>
        log.error({ error: Object.assign(new Error('x'), { code: token }) }, 'x'),
      'the name of an error': log =>
        log.error({ error: Object.assign(new Error('x'), { name: token }) }, 'x'),
      'a cause': log =>
        log.error({ error: new Error('a', { cause: new Error('b', { cause: new Error(token) }) }) }, 'x'),
      'a cause that is not an error': log => log.error({ error: new Error('a', { cause: token }) }, 'x'),
    }
    it(`never contains a ${kind}, from any source`, () => {
      for (const [place, write] of Object.entries(places)) {
        const { text } = logged(write)
        assert.ok(!text.includes(token.slice(-20)), `${place}: ${text}`)
        assert.match(text, /\[secret\]/, place)
      }
    })
  }

  it('describes an error with its name, message, code and stack, and its causes', () => {
    const cause = Object.assign(new TypeError('refused'), { code: 'ECONNREFUSED' })
    const { error } = logged(log => log.error({ error: new Error('failed', { cause }) }, 'x')).line
    assert.equal(error.message, 'failed')
    assert.match(error.stack, /log\.test\.ts/)
    assert.deepEqual(error.cause, { name: 'TypeError', message: 'refused', code: 'ECONNREFUSED' })
  })

  it('terminates on a circular chain of causes', () => {
    const error: Error & { cause?: unknown } = new Error('round')
    error.cause = error
    assert.ok(logged(log => log.error({ error }, 'x')).text.length < 10_000)
  })

  it('drops additional fields of an error', () => {
    const error = Object.assign(new Error('failed'), { response: { headers: CANARY }, parameters: [CANARY] })
    assert.ok(!logged(log => log.error({ error }, 'x')).text.includes(CANARY))
  })
})

describe('scrubbing', () => {
  it('removes bearer and basic headers, in any case', () => {
    for (const header of ['Bearer', 'bearer', 'BEARER', 'Basic'])
      for (const value of ['abc.DEF-123_~+/==', 'sv_live_0123456789'])
        assert.equal(
          scrub(`authorization: ${header} ${value}, then`),
          `authorization: ${header} [secret], then`,
        )
  })

  const names = [
    'code',
    'state',
    'token',
    'link_token',
    'access_token',
    'refresh_token',
    'client_secret',
    'code_verifier',
  ]
  for (const name of names)
    it(`hides the value of ${name} in a query, first or later, and in a form or a fragment`, () => {
      for (const before of ['https://h/p?', 'https://h/p?a=1&', 'https://h/p#', '', 'body: '])
        for (const after of ['', '&b=2', ' ', '"'])
          assert.equal(
            scrub(`${before}${name}=${CANARY}${after}`),
            `${before}${name}=[secret]${after}`,
            `${before} ${after}`,
          )
    })

  it('leaves ordinary text unchanged', () => {
    const text = 'GET /api/v1/registered-users answered 200; the state is open, code: 7, unicode=yes, basic'
    assert.equal(scrub(text), text)
  })

  it('removes repeated secrets', () => {
    const token = issueToken('testKey', ORGANIZATION)
    for (let round = 0; round < 3; round++) assert.equal(scrub(`${token} ${token}`), '[secret] [secret]')
  })
})

describe('a log that cannot be written', () => {
  it('loses lines without throwing', { skip: !existsSync('/dev/full') }, async () => {
    const log = createLog('info', openLogDestination('/dev/full'))
    for (let n = 0; n < 100; n++) log.info({ count: n }, 'x'.repeat(100))
    // An error event without a listener would end the process later.
    await setImmediate()
  })
})

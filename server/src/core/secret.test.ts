import assert from 'node:assert/strict'
import { test } from 'node:test'
import { format, inspect } from 'node:util'
import { serialize } from 'node:v8'
import pino from 'pino'
import { Secret } from './secret.ts'

const VALUE = 'hunter2-canary'
// Untyped, because the types reject most of the expressions below.
const secret: any = new Secret(VALUE)

const methods: Record<string, () => string> = {
  'a template': () => `${secret}`,
  concatenation: () => `x${String(secret)}` + secret,
  JSON: () => JSON.stringify({ secret, list: [secret] }),
  'JSON as a key': () => JSON.stringify({ [String(secret)]: 1 }),
  inspect: () => inspect(secret),
  'inspect, nested and with hidden fields': () =>
    inspect({ a: { b: [secret], c: new Map([['k', secret]]) } }, { showHidden: true, depth: null }),
  'inspect without the custom method': () => inspect(secret, { customInspect: false, showHidden: true }),
  'format %s': () => format('%s', secret),
  'format %o': () => format('%o', secret),
  'format %O': () => format('%O', secret),
  'format %j': () => format('%j', secret),
  'an error message': () => String(new Error(`failed with ${secret}`).stack),
  'an error cause': () => inspect(new Error('failed', { cause: secret })),
  entries: () => JSON.stringify([Object.entries(secret), Object.getOwnPropertyNames(secret)]),
  'a copy': () => inspect({ ...secret }) + inspect(structuredClone(secret)),
  serialization: () => serialize(secret).toString('latin1'),
  join: () => [secret, secret].join(),
  pino: () => {
    let line = ''
    const log = pino({}, { write: text => void (line += text) })
    log.info({ secret, nested: { secret } }, 'with %s and %o', secret, secret)
    log.error(new Error('failed', { cause: secret }))
    return line
  },
}

for (const [method, print] of Object.entries(methods)) {
  test(`secret: is not revealed by ${method}`, () => {
    const text = print()
    assert.ok(text.length > 0)
    assert.doesNotMatch(text, /hunter2|canary/)
  })
}

test('secret: only reveal returns the value', () => {
  assert.equal(secret.reveal(), VALUE)
  const bytes = Buffer.from([1, 2, 3])
  assert.equal(new Secret(bytes).reveal(), bytes)
})

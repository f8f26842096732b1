import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import Fastify from 'fastify'
import { Type } from 'typebox'
import { createLog } from '../platform/log.ts'
import { acceptJson, normalizeBody } from './body.ts'
import { sendError } from './errors.ts'

const app = Fastify({
  logger: false,
  bodyLimit: 256 * 1024,
  ajv: { customOptions: { removeAdditional: false, coerceTypes: false, useDefaults: false, verbose: true } },
})
acceptJson(app)
app.setErrorHandler(sendError('http://localhost', createLog('silent')))
app.addHook('preValidation', normalizeBody)
const body = Type.Object(
  {
    name: Type.Optional(Type.String()),
    color: Type.Optional(Type.Enum(['red', 'blue'])),
    size: Type.Optional(Type.Union([Type.Literal('small'), Type.Literal('large')])),
    metadata: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
  },
  { additionalProperties: false },
)
app.post('/', { schema: { body } }, async request => ({ got: request.body }))
app.get('/', async request => ({ got: request.query }))

const send = (payload?: string, type = 'application/json') =>
  app.inject({
    method: 'POST',
    url: '/',
    ...(payload !== undefined && { payload, headers: { 'content-type': type } }),
  })
const refused = async (payload: string) => {
  const answer = await send(payload)
  assert.equal(answer.statusCode, 400, `${payload.slice(0, 80)}: ${answer.body.slice(0, 200)}`)
  return answer.json().error as { code: string; param?: string; message: string }
}

describe('a body', () => {
  it('that is missing, empty, {} or contains only nulls is equivalent', async () => {
    for (const payload of [undefined, '', '{}', 'null', '{"name":null}', ' { "metadata" : null } '])
      assert.deepEqual((await send(payload)).json(), { got: {} }, String(payload))
    for (const type of ['application/x-www-form-urlencoded', 'text/plain', 'application/octet-stream'])
      assert.deepEqual((await send('', type)).json(), { got: {} }, type)
  })

  it('keeps nulls inside the caller’s own data', async () => {
    assert.deepEqual((await send('{"metadata":{"a":null}}')).json().got, { metadata: { a: null } })
  })

  it('that is not JSON is rejected', async () => {
    for (const payload of [
      '{',
      '{"a":}',
      'name=x',
      "{'name':'x'}",
      '{"name":"x"}}',
      '[1,',
      'undefined',
      'NaN',
      '\0',
      '{"name":"\n"}',
    ])
      assert.equal((await refused(payload)).code, 'invalid_json', payload)
  })

  it('with a prototype key is rejected', async () => {
    for (const payload of [
      '{"__proto__":{"name":"x"}}',
      '{"constructor":{"prototype":{"x":1}}}',
      '{"metadata":{"__proto__":1}}',
      '{"\\u005f_proto__":{}}',
    ])
      assert.match((await refused(payload)).code, /^(invalid_request|unknown_field)$/, payload)
    assert.equal(({} as { x?: number }).x, undefined)
  })

  it('with an unstorable character is rejected with its path', async () => {
    const cases: [payload: string, param: string][] = [
      ['{"name":"a\\u0000b"}', 'name'],
      ['{"name":"\\ud800"}', 'name'],
      ['{"name":"\\udc00\\ud800"}', 'name'],
      ['{"metadata":{"a":{"b":["ok","\\u0000"]}}}', 'metadata.a.b.1'],
      ['{"metadata":{"a\\u0000":1}}', 'body'],
    ]
    for (const [payload, param] of cases) {
      const error = await refused(payload)
      assert.deepEqual([error.code, error.param], ['invalid_request', param], payload)
    }
    assert.equal(
      (await send('{"name":"\\ud83d\\udd11"}')).statusCode,
      200,
      'a surrogate pair is one character',
    )
  })

  it('with an invalid value or an unknown field is rejected with the values and fields that are known', async () => {
    const messages: [payload: string, message: string][] = [
      ['{"color":"green"}', '"color" must be one of "red", "blue".'],
      ['{"size":"medium"}', '"size" must be one of "small", "large".'],
      [
        '{"colour":"red"}',
        '"colour" is not a field of this request. Known fields: color, name, size, metadata.',
      ],
    ]
    for (const [payload, message] of messages) assert.equal((await refused(payload)).message, message)
  })

  it('that is nested too deeply is rejected without a crash', async () => {
    const deepest = 50_000
    const arrays = `{"metadata":{"a":${'['.repeat(deepest)}${']'.repeat(deepest)}}}`
    const objects = `{"metadata":${'{"a":'.repeat(deepest / 6)}1${'}'.repeat(deepest / 6)}}`
    for (const payload of [arrays, objects, '['.repeat(deepest)]) await refused(payload)
    const beyond = await send(`{"metadata":{"a":${'['.repeat(100_000)}${']'.repeat(100_000)}}}`)
    assert.deepEqual([beyond.statusCode, beyond.json().error.code], [413, 'body_too_large'])
  })

  it('that exceeds the limit by one byte is 413', async () => {
    const frame = '{"name":""}'.length
    const fits = await send(`{"name":"${'x'.repeat(256 * 1024 - frame)}"}`)
    assert.equal(fits.statusCode, 200)
    const large = await send(`{"name":"${'x'.repeat(256 * 1024 - frame + 1)}"}`)
    assert.deepEqual([large.statusCode, large.json().error.code], [413, 'body_too_large'])
  })

  it('of another type is 415', async () => {
    for (const type of [
      'text/plain',
      'application/xml',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/jsonx',
      'x',
    ])
      assert.deepEqual([(await send('{}', type)).statusCode, type], [415, type])
    for (const type of ['application/json', 'application/json; charset=utf-8', 'APPLICATION/JSON'])
      assert.equal((await send('{}', type)).statusCode, 200, type)
  })
})

describe('a query', () => {
  it('with an unstorable character is rejected', async () => {
    const answer = await app.inject('/?a=%00')
    assert.deepEqual([answer.statusCode, answer.json().error.param], [400, 'a'])
  })
})

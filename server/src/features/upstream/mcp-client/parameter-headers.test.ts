import assert from 'node:assert/strict'
import { test } from 'node:test'
import {
  decodeHeaderValue,
  encodeHeaderValue,
  headerParameters,
  parameterHeaders,
  withoutParameterHeaders,
} from './parameter-headers.ts'

const marked = (type: string, header: unknown) => ({ type, 'x-mcp-header': header })
const schema = {
  type: 'object',
  properties: {
    region: marked('string', 'Region'),
    count: marked('integer', 'Count'),
    deep: { type: 'object', properties: { flag: marked('boolean', 'Flag') } },
  },
}

test('parameter headers: marked arguments are sent as headers', () => {
  assert.deepEqual(parameterHeaders(schema, { region: 'eu', count: 3, deep: { flag: false } }), {
    'mcp-param-region': 'eu',
    'mcp-param-count': '3',
    'mcp-param-flag': 'false',
  })
})

test('parameter headers: missing, null or mistyped arguments stay in the body', () => {
  for (const args of [{}, { region: null, count: 1.5, deep: 'x' }, { region: {}, count: 2 ** 60 }])
    assert.deepEqual(parameterHeaders(schema, args), {})
  assert.deepEqual(parameterHeaders({ properties: { __proto__: marked('string', 'A') } }, {}), {})
})

test('parameter headers: a value that is not a valid header value is sent as Base64', () => {
  const encoded: [string, string][] = [
    ['eu west', 'eu west'],
    ['', '=?base64??='],
    [' a', '=?base64?IGE=?='],
    ['a\r\nauthorization: x', '=?base64?YQ0KYXV0aG9yaXphdGlvbjogeA==?='],
    ['Zürich', '=?base64?WsO8cmljaA==?='],
    ['=?base64?x?=', '=?base64?PT9iYXNlNjQ/eD89?='],
  ]
  for (const [value, header] of encoded) assert.equal(encodeHeaderValue(value), header)
})

test('parameter headers: an invalid mark makes the tool invalid', () => {
  const wrong = [
    { properties: { a: marked('number', 'A') } },
    { properties: { a: marked('object', 'A') } },
    { properties: { a: marked('string', '') } },
    { properties: { a: marked('string', 'A B') } },
    { properties: { a: marked('string', 'A\r\nB') } },
    { properties: { a: marked('string', 7) } },
    { properties: { a: marked('string', 'A'), b: marked('string', 'a') } },
    { properties: { a: { type: 'array', items: marked('string', 'A') } } },
    { properties: { a: { anyOf: [marked('string', 'A')] } } },
    { $defs: { a: marked('string', 'A') } },
    marked('string', 'Root'),
  ]
  for (const one of wrong) assert.ok('problem' in headerParameters(one), JSON.stringify(one))
})

test('parameter headers: encoded values are decoded, and invalid encodings are rejected', () => {
  for (const text of ['plain', ' padded ', 'Grüße', '=?base64?literal?='])
    assert.equal(decodeHeaderValue(encodeHeaderValue(text)), text)
  for (const broken of ['=?base64?!!?=', '=?base64?YQ?=']) assert.equal(decodeHeaderValue(broken), null)
})

test('parameter headers: marks are removed at any depth, and nothing else changes', () => {
  const bare = withoutParameterHeaders(schema)
  assert.ok(!JSON.stringify(bare).includes('x-mcp-header'))
  assert.deepEqual(bare, {
    type: 'object',
    properties: {
      region: { type: 'string' },
      count: { type: 'integer' },
      deep: { type: 'object', properties: { flag: { type: 'boolean' } } },
    },
  })
  assert.deepEqual(withoutParameterHeaders({ properties: true }), { properties: true })
})

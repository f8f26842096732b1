import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { JsonObject } from '../../../core/json/object.ts'
import { INLINE_BUDGET } from './check.ts'
import { checkingSchema, prepareArgumentCheck, SchemaError, validateSchema } from './parse-schema.ts'

const compileCheck = (schema: JsonObject) => {
  const check = prepareArgumentCheck(schema)
  return (value: unknown): boolean => check(value, INLINE_BUDGET) === null
}

const object = (properties: JsonObject, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties,
  ...rest,
})

test('schema: arguments are checked against the schema', () => {
  const check = compileCheck(
    object(
      { when: { type: 'string', pattern: '^\\d{4}$' }, tags: { type: 'array', items: { enum: ['a', 'b'] } } },
      { required: ['when'], additionalProperties: false },
    ),
  )
  assert.ok(check({ when: '2026', tags: ['a'] }))
  for (const wrong of [{}, { when: '26' }, { when: '2026', tags: ['c'] }, { when: '2026', other: 1 }])
    assert.equal(check(wrong), false, JSON.stringify(wrong))
})

test('schema: local references are resolved, in both dialects and with escaped names', () => {
  for (const place of ['$defs', 'definitions']) {
    const check = compileCheck(
      object(
        { a: { $ref: `#/${place}/x~1y%20z`, minLength: 2 } },
        { [place]: { 'x/y z': { type: 'string' } } },
      ),
    )
    assert.deepEqual([check({ a: 'ab' }), check({ a: 'a' }), check({ a: 1 })], [true, false, false])
  }
  assert.ok(compileCheck(object({ pair: { type: 'array', items: [{ type: 'string' }] } }))({ pair: ['a'] }))
  const tuple = compileCheck(object({ pair: { prefixItems: [{ type: 'string' }], items: false } }))
  assert.deepEqual([tuple({ pair: ['a'] }), tuple({ pair: ['a', 'b'] })], [true, false])
})

test('schema: external or unresolvable references and invalid schemas are rejected', () => {
  for (const schema of [
    object({ a: { $ref: 'https://example.com/schema.json' } }),
    object({ a: { $ref: 'other.json#/a' } }),
    object({ a: { $ref: '#/nowhere' } }),
    object({ a: { $ref: '#anchor' } }),
    object({ a: { $ref: '#/%E0%A4%A' } }),
    object({ a: { $ref: 5 } }),
    object({ a: 'string' }),
    object({ a: { allOf: {} } }),
    object({ a: { type: 'text' } }),
    { type: 'object', properties: [] },
    object({ a: { $ref: '#/__proto__' } }),
  ])
    assert.throws(() => validateSchema(schema, { nodes: 2000 }), SchemaError, JSON.stringify(schema))
})

test('schema: constructs that could make a check slow are omitted with a note', () => {
  const doubling = Object.fromEntries(
    Array.from({ length: 40 }, (_, level) => [
      `d${level}`,
      { allOf: [{ $ref: `#/$defs/d${level + 1}` }, { $ref: `#/$defs/d${level + 1}` }] },
    ]),
  )
  const hostile: [JsonObject, RegExp][] = [
    [object({ a: { type: 'string', pattern: '^(a+)+$' } }), /patterns/],
    [
      object({ a: { patternProperties: { '(x+x+)+y': { type: 'string' } }, additionalProperties: false } }),
      /patterns/,
    ],
    [object({ a: { type: 'array', uniqueItems: true } }), /unique/],
    [object({ a: { $ref: '#' } }), /circular/],
    [object({ a: { $ref: '#/$defs/d0' } }, { $defs: { ...doubling, d40: { type: 'string' } } }), /too large/],
  ]
  const slow: JsonObject = { a: 'a'.repeat(50_000) + '!' }
  let deep: JsonObject = {}
  for (let level = 0; level < 5000; level++) deep = { a: deep, b: 1 }
  for (const [schema, note] of hostile) {
    assert.match([...checkingSchema(schema).notes].join(), note)
    const check = compileCheck(schema)
    for (const args of [slow, deep, { a: { xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx: '' } }]) check(args)
  }
})

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonObject } from '../../../core/json/object.ts'
import { INLINE_BUDGET, prepareCheck } from './check.ts'
import { checkingSchema, prepareArgumentCheck } from './parse-schema.ts'

const LARGE_BUDGET = 1_000_000_000

/** A small deterministic generator, so that a failure can be repeated. */
const createRandom = (seed: number) => {
  let state = seed
  return (below: number): number => {
    state = (Math.imul(state, 1664525) + 1013904223) >>> 0
    return Math.floor((state / 2 ** 32) * below)
  }
}
type Random = ReturnType<typeof createRandom>

const NAMES = ['a', 'b', 'ab', 'c']
const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)] as T

const makeValue = (random: Random, depth: number): unknown => {
  const kind = random(depth > 0 ? 8 : 5)
  if (kind === 0) return random(6)
  if (kind === 1) return pick(random, ['', 'a', 'ab', '😀', 'abc'])
  if (kind === 2) return pick(random, [true, false])
  if (kind === 3) return null
  if (kind === 4) return random(10) / 4
  if (kind < 6) return Array.from({ length: random(4) }, () => makeValue(random, depth - 1))
  return Object.fromEntries(
    Array.from({ length: random(4) }, () => [pick(random, NAMES), makeValue(random, depth - 1)]),
  )
}

const makeSchema = (random: Random, depth: number): JsonObject | boolean => {
  if (random(12) === 0) return random(2) === 0
  const one = () => makeSchema(random, depth - 1)
  const list = () => Array.from({ length: 1 + random(3) }, one)
  const map = (names: readonly string[]) =>
    Object.fromEntries(Array.from({ length: 1 + random(2) }, () => [pick(random, names), one()]))
  const plain: (() => JsonObject)[] = [
    () => ({ type: pick(random, ['string', 'number', 'integer', 'boolean', 'null', 'array', 'object']) }),
    () => ({ type: ['string', 'array', 'object'] }),
    () => ({ const: makeValue(random, 1) }),
    () => ({ enum: [makeValue(random, 1), 'a', 1] }),
    () => ({ required: [pick(random, NAMES)] }),
    () => ({ dependentRequired: { a: ['b'] } }),
    () => ({ minimum: random(4) }),
    () => ({ exclusiveMaximum: random(6) }),
    () => ({ multipleOf: 0.5 }),
    () => ({ minLength: random(3) }),
    () => ({ maxLength: random(3) }),
    () => ({ minItems: random(3) }),
    () => ({ maxItems: random(3) }),
    () => ({ minProperties: random(3) }),
    () => ({ maxProperties: random(3) }),
    () => ({ pattern: pick(random, ['^a', '^[ab]+$', '^.$']) }),
  ]
  const nested: (() => JsonObject)[] = [
    () => ({ properties: map(NAMES) }),
    () => ({ properties: map(NAMES), additionalProperties: one() }),
    () => ({ patternProperties: map(['^a', '^.$']), additionalProperties: one() }),
    () => ({ items: one() }),
    () => ({ prefixItems: list(), items: one() }),
    () => ({ prefixItems: list() }),
    () => ({ contains: one(), minContains: random(2), maxContains: 1 + random(2) }),
    () => ({ contains: one() }),
    () => ({ allOf: list() }),
    () => ({ anyOf: list() }),
    () => ({ oneOf: list() }),
    () => ({ not: one() }),
    () => Object.fromEntries(['if', 'then', 'else'].map(key => [key, one()])),
    () => ({ propertyNames: one() }),
    () => ({ dependentSchemas: map(NAMES) }),
    () => ({ anyOf: list(), unevaluatedProperties: one() }),
    () => ({ properties: map(NAMES), allOf: list(), unevaluatedProperties: false }),
    () => ({ prefixItems: list(), unevaluatedItems: one() }),
  ]
  const from = depth > 0 ? [...plain, ...nested, ...nested] : plain
  return Object.assign({}, ...Array.from({ length: 1 + random(2) }, () => pick(random, from)()))
}

test('schema check: agrees with Ajv on generated schemas and values', () => {
  const random = createRandom(7)
  const ajv = new Ajv2020({ strict: false, logger: false, validateFormats: false, ownProperties: true })
  let passed = 0
  let failed = 0
  for (let round = 0; round < 400; round++) {
    const schema = { allOf: [makeSchema(random, 3)] }
    const reference = ajv.compile(schema)
    const check = prepareCheck(checkingSchema(schema).schema)
    for (let n = 0; n < 25; n++) {
      const value = makeValue(random, 3)
      const expected = reference(value)
      if (expected) passed++
      else failed++
      assert.equal(check(value, LARGE_BUDGET) === null, expected, JSON.stringify({ schema, value }))
    }
  }
  assert.ok(passed > 1000 && failed > 1000)
})

test('schema check: items evaluated by an alternative are not unevaluated', () => {
  const alternatives = [{ prefixItems: [{}], items: { type: 'number' } }, { type: 'boolean' }]
  const check = prepareCheck({ anyOf: alternatives, unevaluatedItems: false })
  assert.equal(check(['a', 1, 2], LARGE_BUDGET), null)
  assert.notEqual(prepareCheck({ prefixItems: [{}], unevaluatedItems: false })(['a', 1], LARGE_BUDGET), null)
})

/** Each as `path: message`. */
const issuesOf = (schema: JsonObject, value: unknown): string[] => {
  const issues = prepareArgumentCheck(schema)(value, INLINE_BUDGET)
  assert.ok(Array.isArray(issues))
  return issues.map(
    ({ path, name, message }) => `${[...path, ...(name === undefined ? [] : [name])].join('/')}: ${message}`,
  )
}

test('schema check: reports all issues with their paths and properties', () => {
  const schema = {
    type: 'object',
    properties: {
      rows: { type: 'array', items: { type: 'object', required: ['id', 'name'] } },
      limit: { type: 'integer', minimum: 1 },
      from: { type: 'string' },
    },
    additionalProperties: false,
  }
  assert.equal(prepareArgumentCheck(schema)({ rows: [{ id: 1, name: 2 }] }, INLINE_BUDGET), null)
  assert.deepEqual(issuesOf(schema, { rows: [{ id: 1 }, {}], limit: 'x', form: 1 }), [
    'rows/0/name: is required',
    'rows/1/id: is required',
    'rows/1/name: is required',
    'limit: must be integer',
    'form: is not an argument of this tool',
  ])
  const issues = prepareArgumentCheck(schema)({ form: 1 }, INLINE_BUDGET)
  assert.deepEqual(Array.isArray(issues) && issues[0].fields, ['from', 'rows', 'limit'], 'the nearest first')
})

test('schema check: lists the allowed values of an enum and of constants', () => {
  const schema = {
    properties: { sort: { enum: ['total', 'date'] }, kind: { const: 'a' }, at: { enum: [{ deep: true }] } },
  }
  assert.deepEqual(issuesOf(schema, { sort: 'x', kind: 'b', at: 1 }), [
    'sort: must be one of "total", "date"',
    'kind: must be "a"',
    'at: must be equal to one of the allowed values',
  ])
  const many = { properties: { a: { enum: Array.from({ length: 500 }, (_, n) => `value ${n}`) } } }
  const [issue = ''] = issuesOf(many, { a: 'x' })
  assert.match(issue, /^a: must be one of "value 0", .*"value 19" or one of 480 other values$/)
})

const pay = (name: string, rest: JsonObject = {}): JsonObject => ({
  type: 'object',
  properties: { method: { const: name }, [name]: { type: 'string' }, ...rest },
  required: ['method', name],
  additionalProperties: false,
})

test('schema check: explains a union by the fields of its forms and the issues of the closest one', () => {
  const payment = { anyOf: [pay('iban'), pay('token', { expires: { type: 'string' } })] }
  assert.deepEqual(issuesOf({ properties: { payment } }, { payment: { method: 'token', tokn: 'x' } }), [
    'payment: matches none of its 2 forms, which have the fields (method, iban) or (method, token, expires)',
    'payment/token: is required',
    'payment/tokn: is not a known field',
  ])
  assert.deepEqual(issuesOf({ properties: { payment } }, { payment: {} }), [
    'payment: matches none of its 2 forms, which have the fields (method, iban) or (method, token, expires)',
  ])
  const many = { oneOf: Array.from({ length: 9 }, (_, n) => pay(`field${n}`)) }
  assert.deepEqual(issuesOf(many, { method: 'field7' }), [
    ': matches none of its 9 forms; the closest one has the fields (method, field7)',
    'field7: is required',
  ])
})

test('schema check: explains a union of values by their types and constants', () => {
  assert.deepEqual(issuesOf({ anyOf: [{ type: 'string' }, { type: 'integer' }] }, true), [
    ': must be string, or must be integer',
  ])
  assert.deepEqual(issuesOf({ oneOf: [{ const: 'a' }, { const: 'b' }] }, 'c'), [': must be one of "a", "b"'])
  assert.deepEqual(issuesOf({ oneOf: [{ type: 'string' }, { minLength: 1 }] }, 'c'), [
    ': must match exactly one of its forms (oneOf), and matches several',
  ])
})

test('schema check: an invalid value takes few steps more than the search for its first issue', () => {
  const nested = (depth: number): JsonObject =>
    depth === 0 ? pay('x') : { anyOf: Array.from({ length: 4 }, () => ({ items: nested(depth - 1) })) }
  const value = Array.from({ length: 3000 }, () => [[[{}]]])
  const issues = prepareCheck({ items: nested(3), properties: {} })(value, 10_000_000)
  assert.ok(Array.isArray(issues) && issues.length <= 10)
  const names = Object.fromEntries(Array.from({ length: 3000 }, (_, n) => [`${'n'.repeat(900)}${n}`, 1]))
  const unknown = prepareCheck({ properties: names, additionalProperties: false })
  const wide = unknown(Object.fromEntries(Object.keys(names).map(name => [`${name}x`, 1])), INLINE_BUDGET)
  assert.ok(Array.isArray(wide))
  assert.equal(wide.length, 10)
  assert.ok(wide.every(({ fields }) => fields?.length === 20))
})

const object = (a: JsonObject): JsonObject => ({ type: 'object', properties: { a } })
const pattern = '^[^~]{0,9}[^~]{0,9}[^~]{0,9}[^~]*~$'

/** A complete check of each would take seconds to minutes, or gigabytes. */
export const expensive: [name: string, schema: JsonObject, args: JsonObject][] = [
  [
    'many patterns on one text',
    object({ anyOf: Array.from({ length: 1000 }, () => ({ pattern })) }),
    { a: 'x'.repeat(4000) },
  ],
  [
    'many alternatives for many items',
    object({
      items: { anyOf: [...Array.from({ length: 1700 }, (_, n) => ({ required: [`x${n}`] })), {}] },
    }),
    { a: Array.from({ length: 86_000 }, () => ({})) },
  ],
  [
    'names against patterns',
    object({
      patternProperties: Object.fromEntries(Array.from({ length: 500 }, (_, n) => [`^[a-z]{0,9}x${n}`, {}])),
    }),
    { a: Object.fromEntries(Array.from({ length: 5000 }, (_, n) => [`name${n}`, 1])) },
  ],
  [
    'large values of an enum',
    object({ items: { enum: Array.from({ length: 100 }, (_, n) => ['x'.repeat(500), n]) } }),
    { a: Array.from({ length: 5000 }, () => ['x'.repeat(500), 99]) },
  ],
]

for (const [name, schema, args] of expensive)
  test(`schema check: ends at its budget with ${name}`, () => {
    assert.equal(prepareArgumentCheck(schema)(args, INLINE_BUDGET), 'too_expensive')
  })

test('schema check: takes few steps for ordinary tools and arguments', () => {
  const properties = Object.fromEntries(
    Array.from({ length: 40 }, (_, n) => [
      `p${n}`,
      { type: 'string', maxLength: 1000, pattern: '^[^\\n]*$' },
    ]),
  )
  const check = prepareArgumentCheck({ type: 'object', properties, required: ['p0', 'p1'] })
  const args = Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`p${n}`, 'x'.repeat(100)]))
  assert.equal(check(args, INLINE_BUDGET / 20), null)
})

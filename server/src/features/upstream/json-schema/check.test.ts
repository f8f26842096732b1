import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Ajv2020 } from 'ajv/dist/2020.js'
import type { JsonObject } from '../json.ts'
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

test('schema check: reports the path and the property of the first issue', () => {
  const check = prepareArgumentCheck({
    type: 'object',
    properties: { rows: { type: 'array', items: { type: 'object', required: ['id'] } } },
    additionalProperties: false,
  })
  assert.equal(check({ rows: [{ id: 1 }] }, INLINE_BUDGET), null)
  assert.deepEqual(check({ rows: [{ id: 1 }, {}] }, INLINE_BUDGET), {
    path: ['rows', '1'],
    message: 'is required',
    name: 'id',
  })
  assert.deepEqual(check({ other: 1 }, INLINE_BUDGET), {
    path: [],
    message: 'is not an argument of this tool',
    name: 'other',
  })
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

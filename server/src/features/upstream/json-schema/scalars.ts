import { describeAllowed } from '../../../core/allowed-values.ts'
import type { JsonObject } from '../../../core/json/object.ts'
import type { Check, CheckRun } from './check-run.ts'
import { patternCost } from './pattern.ts'

/** Number of characters that cost about as much as one step. */
const CHARACTERS_PER_STEP = 8
/** The engine interprets a pattern at first, which is much slower per character. */
const PATTERN_CHARACTERS_PER_STEP = 2
/** For patterns of connector files, which were verified to be linear. */
const TRUSTED_PATTERN_COST = 16

export const scalarChecks = (schema: JsonObject): Check[] => [
  ...typeCheck(schema.type),
  ...constantCheck(schema),
  ...numberChecks(schema),
  ...textChecks(schema),
]

const hasType = (value: unknown, type: unknown): boolean => {
  switch (type) {
    case 'string':
    case 'boolean':
      return typeof value === type
    case 'number':
      return typeof value === 'number'
    case 'integer':
      return Number.isInteger(value)
    case 'null':
      return value === null
    case 'array':
      return Array.isArray(value)
    case 'object':
      return value !== null && typeof value === 'object' && !Array.isArray(value)
    default:
      return false
  }
}

const typeCheck = (type: unknown): Check[] => {
  if (type === undefined) return []
  const types: unknown[] = Array.isArray(type) ? type : [type]
  return [
    (value, run) =>
      types.some(one => hasType(value, one)) ? true : run.fail(`must be ${types.map(String).join(',')}`),
  ]
}

const constantCheck = (schema: JsonObject): Check[] => {
  const isOneOf = (allowed: unknown[]): Check => {
    const { message, listed } = describeAllowed(allowed)
    return (value, run) =>
      allowed.some(one => equals(one, value, run)) ? true : run.fail(message, () => ({ allowed: listed }))
  }
  return [
    ...(Array.isArray(schema.enum) ? [isOneOf(schema.enum)] : []),
    ...(Object.hasOwn(schema, 'const') ? [isOneOf([schema.const])] : []),
  ]
}

/** JSON equality. Each compared member costs a step, and so do each eight characters of a text. */
export const equals = (a: unknown, b: unknown, run: CheckRun): boolean => {
  const texts = typeof a === 'string' && typeof b === 'string' && a.length === b.length
  run.spend(texts ? 1 + a.length / CHARACTERS_PER_STEP : 1)
  if (a === b) return true
  if (a === null || b === null || typeof a !== 'object' || typeof b !== 'object') return false
  if (Array.isArray(a) !== Array.isArray(b)) return false
  const names = Object.keys(a)
  run.spend(names.length)
  if (names.length !== Object.keys(b).length) return false
  return names.every(
    name => Object.hasOwn(b, name) && equals((a as JsonObject)[name], (b as JsonObject)[name], run),
  )
}

const numberChecks = (schema: JsonObject): Check[] => {
  const bound = (key: string, sign: string, holds: (value: number, limit: number) => boolean): Check[] => {
    const limit = schema[key]
    if (typeof limit !== 'number') return []
    return [
      (value, run) =>
        typeof value !== 'number' || holds(value, limit) ? true : run.fail(`must be ${sign} ${limit}`),
    ]
  }
  return [
    ...bound('minimum', '>=', (value, limit) => value >= limit),
    ...bound('maximum', '<=', (value, limit) => value <= limit),
    ...bound('exclusiveMinimum', '>', (value, limit) => value > limit),
    ...bound('exclusiveMaximum', '<', (value, limit) => value < limit),
    ...bound('multipleOf', 'multiple of', (value, factor) => Number.isInteger(value / factor)),
  ]
}

const textChecks = (schema: JsonObject): Check[] => {
  const { minLength, maxLength, pattern } = schema
  const lengthCheck: Check = (value, run) => {
    if (typeof value !== 'string') return true
    const length = countCharacters(value, run)
    if (typeof minLength === 'number' && length < minLength)
      return run.fail(`must NOT have fewer than ${minLength} characters`)
    if (typeof maxLength === 'number' && length > maxLength)
      return run.fail(`must NOT have more than ${maxLength} characters`)
    return true
  }
  return [
    ...(typeof minLength === 'number' || typeof maxLength === 'number' ? [lengthCheck] : []),
    ...(typeof pattern === 'string' ? [patternCheck(pattern)] : []),
  ]
}

/** Counts code points, as JSON Schema requires. */
const countCharacters = (text: string, run: CheckRun): number => {
  run.spend(text.length / CHARACTERS_PER_STEP)
  let count = 0
  for (let at = 0; at < text.length; at++, count++) {
    const isHigh = (text.charCodeAt(at) & 0xfc00) === 0xd800
    if (isHigh && (text.charCodeAt(at + 1) & 0xfc00) === 0xdc00) at++
  }
  return count
}

/** Compiles a pattern. The cost of a match is charged before it runs. */
export const compilePattern = (pattern: string): ((text: string, run: CheckRun) => boolean) => {
  const cost = patternCost(pattern) ?? TRUSTED_PATTERN_COST
  const expression = new RegExp(pattern, 'u')
  return (text, run) => {
    run.spend((cost * (text.length + 1)) / PATTERN_CHARACTERS_PER_STEP)
    return expression.test(text)
  }
}

const patternCheck = (pattern: string): Check => {
  const matches = compilePattern(pattern)
  return (value, run) =>
    typeof value !== 'string' || matches(value, run) ? true : run.fail(`must match pattern "${pattern}"`)
}

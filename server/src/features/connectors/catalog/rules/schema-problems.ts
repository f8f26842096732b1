import { isObject } from '../../../../core/json/object.ts'
import { nearestName } from '../../../../core/nearest-name.ts'
import { type Problem, problem, type Step } from './connector-problem.ts'

/** The JSON Schema keywords that describe connector files. Any other keyword is a defect and throws. */
type Schema = {
  type?: string
  description?: string
  title?: string
  properties?: Record<string, Schema>
  required?: string[]
  additionalProperties?: false
  patternProperties?: Record<string, Schema>
  items?: Schema
  anyOf?: Schema[]
  enum?: unknown[]
  const?: unknown
  pattern?: string
  minLength?: number
  maxLength?: number
  minItems?: number
  maxItems?: number
  uniqueItems?: boolean
  minimum?: number
  maximum?: number
}

/**
 * All problems, phrased for the author of the file. For a union, only the variant that the value claims to be is
 * checked, so that the reported problem is the actual one. This is also the fast check at startup, without schema
 * compilation.
 */
export const schemaProblems = (schema: object, value: unknown): Problem[] => {
  const described = schema as Schema
  if (described.anyOf) return unionProblems(described.anyOf, value)
  if (described.enum && !described.enum.includes(value)) return [problem([], oneOf(described.enum, value))]
  if (described.const !== undefined && described.const !== value)
    return [problem([], oneOf([described.const], value))]
  switch (described.type) {
    case 'object':
      return isObject(value) ? objectProblems(described, value) : [problem([], 'must be an object')]
    case 'array':
      return Array.isArray(value) ? listProblems(described, value) : [problem([], 'must be a list')]
    case 'string':
      return typeof value === 'string' ? textProblems(described, value) : [problem([], 'must be a string')]
    case 'boolean':
      return typeof value === 'boolean' ? NONE : [problem([], 'must be true or false')]
    case 'integer':
      return integerProblems(described, value)
    case undefined:
      return NONE
    default:
      throw new Error(`unsupported schema type ${described.type}`)
  }
}

/** Paths are built only for problems, because most files have none. */
const collect = (problems: Problem[], step: Step, found: Problem[]): void => {
  for (const { path, reason } of found) problems.push(problem([step, ...path], reason))
}

const NOTHING: Record<string, Schema> = {}
/** Shared and never modified, because most values have no problem. */
const NONE: Problem[] = []

const oneOf = (allowed: unknown[], given: unknown): string => {
  const names = allowed.map(String)
  const meant = typeof given === 'string' ? nearestName(given, names) : null
  const list =
    allowed.length === 1
      ? `must be ${names[0]}`
      : `must be one of ${names.map(name => (name === ' ' ? '" "' : name)).join(', ')}`
  return meant && allowed.length > 1 ? `${list}; did you mean ${meant}?` : list
}

const unionProblems = (variants: Schema[], value: unknown): Problem[] => {
  const tagged = variants.filter(variant => variant.properties?.type?.const !== undefined)
  if (tagged.length === 0) {
    const type = Array.isArray(value) ? 'array' : typeof value
    const fitting = variants.find(variant => variant.type === type)
    return schemaProblems(fitting ?? (variants[0] as Schema), value)
  }
  if (!isObject(value)) return [problem([], 'must be an object')]
  const types = tagged.map(variant => variant.properties?.type?.const)
  const variant = tagged[types.indexOf(value.type)]
  if (variant) return schemaProblems(variant, value)
  return value.type === undefined
    ? [problem([], `type is missing; it ${oneOf(types, undefined)}`)]
    : [problem(['type'], oneOf(types, value.type))]
}

const objectProblems = (schema: Schema, value: Record<string, unknown>): Problem[] => {
  const known = schema.properties ?? NOTHING
  const every = schema.patternProperties && Object.values(schema.patternProperties)[0]
  const problems: Problem[] = []
  for (const name in value) {
    const described = Object.hasOwn(known, name) ? known[name] : every
    if (described) collect(problems, name, schemaProblems(described, value[name]))
  }
  if (every === undefined && schema.additionalProperties === false) collectUnknown(problems, schema, value)
  else collectMissing(problems, schema.required ?? [], value)
  return problems
}

const collectMissing = (problems: Problem[], required: string[], value: Record<string, unknown>): void => {
  const missing = required.filter(name => !Object.hasOwn(value, name))
  if (missing.length > 0)
    problems.push(problem([], `${missing.join(', ')} ${missing.length === 1 ? 'is' : 'are'} missing`))
}

/** A misspelled field is reported once, and not as missing too. */
const collectUnknown = (problems: Problem[], schema: Schema, value: Record<string, unknown>): void => {
  const { properties = NOTHING, required = [] } = schema
  const names = Object.keys(properties)
  const meant = new Set<string>()
  for (const name in value) {
    if (Object.hasOwn(properties, name)) continue
    const free = names.filter(candidate => !Object.hasOwn(value, candidate))
    const nearest = nearestName(name, free)
    if (nearest) meant.add(nearest)
    const hint = nearest ? `did you mean ${nearest}?` : `known fields: ${names.join(', ')}`
    problems.push(problem([name], `is not a known field; ${hint}`))
  }
  collectMissing(problems, meant.size === 0 ? required : required.filter(name => !meant.has(name)), value)
}

const listProblems = (schema: Schema, value: unknown[]): Problem[] => {
  const problems: Problem[] = []
  if (value.length < (schema.minItems ?? 0))
    problems.push(problem([], `needs ${count(schema.minItems ?? 0)}`))
  if (value.length > (schema.maxItems ?? Number.POSITIVE_INFINITY))
    problems.push(problem([], `contains ${value.length}; the maximum is ${count(schema.maxItems ?? 0)}`))
  if (schema.uniqueItems && new Set(value.map(item => JSON.stringify(item))).size < value.length)
    problems.push(problem([], 'contains a duplicate'))
  const { items } = schema
  if (items)
    for (const [index, item] of value.entries()) collect(problems, index, schemaProblems(items, item))
  return problems
}

const count = (items: number): string => (items === 1 ? 'one item' : `${items} items`)

const textProblems = (schema: Schema, value: string): Problem[] => {
  const { minLength = 0, maxLength = Number.POSITIVE_INFINITY } = schema
  if (value.length < minLength) return [problem([], 'must not be empty')]
  // Code points are counted only if the UTF-16 length exceeds the limit.
  if (value.length > maxLength && Array.from(value).length > maxLength)
    return [problem([], `is ${Array.from(value).length} characters long; the maximum is ${maxLength}`)]
  if (schema.pattern !== undefined && !compiled(schema.pattern).test(value))
    return [problem([], `must fit ${schema.pattern}`)]
  return NONE
}

const integerProblems = (schema: Schema, value: unknown): Problem[] => {
  if (!Number.isInteger(value)) return [problem([], 'must be a whole number')]
  if ((value as number) < (schema.minimum ?? Number.NEGATIVE_INFINITY))
    return [problem([], `must be at least ${schema.minimum}`)]
  return (value as number) > (schema.maximum ?? Number.POSITIVE_INFINITY)
    ? [problem([], `must be at most ${schema.maximum}`)]
    : []
}

const patterns = new Map<string, RegExp>()
const compiled = (source: string): RegExp => {
  const pattern = patterns.get(source) ?? new RegExp(source, 'u')
  patterns.set(source, pattern)
  return pattern
}

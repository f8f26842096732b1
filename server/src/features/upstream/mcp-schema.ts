import { Ajv, type ValidateFunction } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { isObject, type JsonObject } from './mcp-json.ts'
import { isLinear } from './mcp-pattern.ts'

/** What is said of a schema that is used, but not all of it. */
export type SchemaNotes = Set<string>

/** A schema that cannot be used. The message says what is wrong with it. */
export class SchemaError extends Error {}

/** References written out may be many times the size of the schema. */
const MOST_NODES = 2000

const SCHEMA = [
  'additionalProperties',
  'additionalItems',
  'contains',
  'not',
  'if',
  'then',
  'else',
  'propertyNames',
  'unevaluatedProperties',
  'unevaluatedItems',
]
const SCHEMA_LIST = ['allOf', 'anyOf', 'oneOf', 'prefixItems']
const SCHEMA_MAP = ['properties', 'patternProperties', 'dependentSchemas']
const PLAIN = [
  'type',
  'const',
  'required',
  'dependentRequired',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'multipleOf',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'minContains',
  'maxContains',
  'minProperties',
  'maxProperties',
]

/**
 * The schema that arguments are checked against here: the server's own, with references written out and reduced to keywords
 * that cost no more than the arguments are long. Left out are patterns that may not be linear, `uniqueItems` (quadratic) and
 * references into a circle (two that branch make the cost double with every level). The third party checks all of it itself.
 */
export const checkingSchema = (
  schema: JsonObject,
): { schema: JsonObject; notes: SchemaNotes; nodes: number } => {
  const notes: SchemaNotes = new Set()
  let nodes = 0

  const visit = (node: unknown, open: string[]): unknown => {
    if (typeof node === 'boolean') return node
    if (!isObject(node)) throw new SchemaError('a part of it is neither an object nor true or false')
    if (++nodes > MOST_NODES) {
      notes.add('is too large to be checked in full')
      return true
    }
    const written = writeOut(node, open)
    return node.$ref === undefined ? written : { allOf: [written, follow(node.$ref, open)] }
  }

  const follow = (reference: unknown, open: string[]): unknown => {
    if (typeof reference !== 'string' || !reference.startsWith('#'))
      throw new SchemaError('it refers to another document')
    if (open.includes(reference)) {
      notes.add('refers to itself, which is not followed here')
      return true
    }
    return visit(resolve(schema, reference), [...open, reference])
  }

  const writeOut = (node: JsonObject, open: string[]): JsonObject => {
    const own = (keys: string[]) => keys.filter(key => Object.hasOwn(node, key))
    const one = (value: unknown) => visit(value, open)
    const list = (value: unknown) => asList(value).map(one)
    const map = (value: unknown) =>
      Object.fromEntries(Object.entries(asObject(value)).map(([name, part]) => [name, one(part)]))
    const written = Object.fromEntries([
      ...own(PLAIN).map(key => [key, node[key]]),
      // An empty one allows nothing, and cannot be compiled.
      ...own(['enum']).flatMap(key => (asList(node[key]).length > 0 ? [[key, node[key]]] : [])),
      ...own(SCHEMA).map(key => [key, one(node[key])]),
      ...own(SCHEMA_LIST).map(key => [key, list(node[key])]),
      ...own(SCHEMA_MAP).map(key => [key, map(node[key])]),
      ...own(['items']).map(key => [key, Array.isArray(node[key]) ? list(node[key]) : one(node[key])]),
    ]) as JsonObject
    return withPatterns(node, written, notes)
  }

  const written = visit(schema, []) as JsonObject
  return { schema: written, notes, nodes }
}

const withPatterns = (node: JsonObject, written: JsonObject, notes: SchemaNotes): JsonObject => {
  const { patternProperties, additionalProperties, unevaluatedProperties, ...rest } = written
  const { pattern } = node
  const kept = typeof pattern === 'string' && isLinear(pattern)
  const nameable = isObject(patternProperties) && Object.keys(patternProperties).every(isLinear)
  if ((pattern !== undefined && !kept) || (patternProperties !== undefined && !nameable))
    notes.add('has patterns that are not run here')
  if (node.uniqueItems === true) notes.add('wants unique items, which is not checked here')
  return {
    ...rest,
    ...(kept && { pattern }),
    // What the other properties are depends on the patterns: without these, nothing can be said of them.
    ...((patternProperties === undefined || nameable) && {
      ...(nameable && { patternProperties }),
      ...(additionalProperties !== undefined && { additionalProperties }),
      ...(unevaluatedProperties !== undefined && { unevaluatedProperties }),
    }),
  }
}

const asList = (value: unknown): unknown[] => {
  if (!Array.isArray(value)) throw new SchemaError('a list of schemas is not a list')
  return value
}

const asObject = (value: unknown): JsonObject => {
  if (!isObject(value)) throw new SchemaError('a set of schemas is not an object')
  return value
}

/** RFC 6901 within the schema. */
const resolve = (root: JsonObject, reference: string): unknown => {
  let at: unknown = root
  for (const step of reference.slice(1).split('/').slice(1)) {
    const name = readStep(step)
    if (at === null || typeof at !== 'object' || !Object.hasOwn(at, name))
      throw new SchemaError(`it refers to ${reference.slice(0, 80)}, which is not in it`)
    at = (at as JsonObject)[name]
  }
  if (at === root && reference !== '#')
    throw new SchemaError(`it refers to ${reference.slice(0, 80)}, which is not in it`)
  return at
}

const readStep = (step: string): string => {
  try {
    return decodeURIComponent(step).replaceAll('~1', '/').replaceAll('~0', '~')
  } catch {
    throw new SchemaError('it has a reference that cannot be read')
  }
}

const options = { strict: false, logger: false, validateFormats: false, ownProperties: true } as const
/** The newest dialect is the protocol's; the older one is what many servers still write. */
const dialects = [new Ajv2020(options), new Ajv(options)]

/** What judging all schemas of a list together may cost. */
export type Effort = { nodes: number }

/** Throws where it is no schema. Without compiling: hundreds of tools are judged at once, and most are never called. */
export const judgeSchema = (inputSchema: JsonObject, effort: Effort): SchemaNotes => {
  if (effort.nodes <= 0) throw new SchemaError('the list of tools is too large to be judged to its end')
  const { schema, notes, nodes } = checkingSchema(inputSchema)
  effort.nodes -= nodes
  if (!dialects.some(ajv => ajv.validateSchema(schema) === true))
    throw new SchemaError('it is not a JSON Schema')
  return notes
}

/** A check of arguments that no schema makes slow, for a schema that was judged. */
export const compileArgumentCheck = (inputSchema: JsonObject): ValidateFunction => {
  const { schema } = checkingSchema(inputSchema)
  const dialect = dialects.find(ajv => ajv.validateSchema(schema) === true)
  if (!dialect) throw new SchemaError('it is not a JSON Schema')
  try {
    return dialect.compile(schema)
  } finally {
    // Nothing is kept here: servers come and go, and each writes its own.
    dialect.removeSchema(schema)
  }
}

import { readReference } from '../../../core/json/json-pointer.ts'
import { isObject, type JsonObject } from '../../../core/json/object.ts'
import { prepareCheck, type SchemaCheck } from './check.ts'
import { KEYWORDS, type Keyword, OTHER_KEYWORDS } from './keywords.ts'
import { isLinear } from './pattern.ts'

/** Remarks on a schema that is only partly checked here. */
export type SchemaNotes = Set<string>

/** An unusable schema. The message states the problem. */
export class SchemaError extends Error {}

/** Expanded references may be many times the size of the schema. */
const MAX_NODES = 2000

/**
 * `root`: the document that references are resolved in. Default: the schema itself. `knownOnly`: any keyword that is not known is an
 * error.
 */
export type CheckingOptions = { trusted?: boolean; maxNodes?: number; root?: JsonObject; knownOnly?: boolean }

/**
 * Returns the schema that arguments are checked against: the server's own, with references expanded and reduced to
 * keywords whose cost can be counted. Patterns that may not be linear, `uniqueItems` (quadratic) and circular
 * references are omitted, because the server validates its input itself. `trusted`: from a connector file, whose
 * patterns were verified to be linear.
 */
export const checkingSchema = (
  schema: JsonObject,
  { trusted = false, maxNodes = MAX_NODES, root = schema, knownOnly = false }: CheckingOptions = {},
): { schema: JsonObject; notes: SchemaNotes; nodes: number } => {
  const notes: SchemaNotes = new Set()
  let nodes = 0

  const visit = (node: unknown, open: string[]): unknown => {
    if (typeof node === 'boolean') return node
    if (!isObject(node)) throw new SchemaError('a subschema is neither an object nor a boolean')
    if (++nodes > maxNodes) {
      notes.add('is too large to be checked completely')
      return true
    }
    const expanded = expand(node, open)
    return node.$ref === undefined ? expanded : { allOf: [expanded, follow(node.$ref, open)] }
  }

  const follow = (reference: unknown, open: string[]): unknown => {
    if (typeof reference !== 'string' || !reference.startsWith('#'))
      throw new SchemaError('it refers to another document')
    if (open.includes(reference)) {
      notes.add('has circular references, which are not checked')
      return true
    }
    return visit(resolve(root, reference), [...open, reference])
  }

  const expand = (node: JsonObject, open: string[]): JsonObject => {
    const one = (value: unknown) => visit(value, open)
    const list = (value: unknown) => asList(value).map(one)
    const writeKeyword = (key: string, value: unknown): unknown => {
      const { form, isValid } = KEYWORDS.get(key) as Keyword
      if (isValid?.(value) === false) throw invalidKeyword(key, value)
      switch (form) {
        case 'schema':
          return one(value)
        case 'list':
          return list(value)
        case 'map':
          return Object.fromEntries(Object.entries(asObject(value)).map(([name, part]) => [name, one(part)]))
        case 'items':
          return Array.isArray(value) ? list(value) : one(value)
        case 'enum':
          return asList(value)
        case 'plain':
          return value
      }
    }
    const expanded: JsonObject = {}
    for (const [key, value] of Object.entries(node))
      if (KEYWORDS.has(key)) expanded[key] = writeKeyword(key, value)
      else if (knownOnly && !OTHER_KEYWORDS.has(key)) throw new SchemaError(`${key} is not a keyword`)
    // An empty enum allows no value. The server checks it.
    if (Array.isArray(expanded.enum) && expanded.enum.length === 0) delete expanded.enum
    if (node.pattern !== undefined && typeof node.pattern !== 'string')
      throw invalidKeyword('pattern', node.pattern)
    return trusted ? withTrusted(node, expanded) : withPatterns(node, expanded, notes)
  }

  const expanded = visit(schema, []) as JsonObject
  return { schema: expanded, notes, nodes }
}

const withTrusted = ({ pattern, uniqueItems }: JsonObject, expanded: JsonObject): JsonObject => ({
  ...expanded,
  ...(pattern !== undefined && { pattern }),
  ...(uniqueItems !== undefined && { uniqueItems }),
})

const withPatterns = (node: JsonObject, expanded: JsonObject, notes: SchemaNotes): JsonObject => {
  const { patternProperties, additionalProperties, unevaluatedProperties, ...rest } = expanded
  const { pattern } = node
  const kept = typeof pattern === 'string' && isLinear(pattern)
  const nameable = isObject(patternProperties) && Object.keys(patternProperties).every(isLinear)
  if ((pattern !== undefined && !kept) || (patternProperties !== undefined && !nameable))
    notes.add('has patterns that are not checked')
  if (node.uniqueItems === true) notes.add('requires unique items, which is not checked')
  return {
    ...rest,
    ...(kept && { pattern }),
    // Additional properties are defined relative to the patterns, so they cannot be checked without them.
    ...((patternProperties === undefined || nameable) && {
      ...(nameable && { patternProperties }),
      ...(additionalProperties !== undefined && { additionalProperties }),
      ...(unevaluatedProperties !== undefined && { unevaluatedProperties }),
    }),
  }
}

const MAX_SHOWN = 80

const invalidKeyword = (key: string, value: unknown): SchemaError =>
  new SchemaError(`${key} cannot be ${JSON.stringify(value).slice(0, MAX_SHOWN)}`)

const asList = (value: unknown): unknown[] => {
  if (!Array.isArray(value)) throw new SchemaError('a list of schemas is not a list')
  return value
}

const asObject = (value: unknown): JsonObject => {
  if (!isObject(value)) throw new SchemaError('a set of schemas is not an object')
  return value
}

/** What a reference to a part of the schema refers to. */
const resolve = (root: JsonObject, reference: string): unknown => {
  const found = readReference(root, reference)
  if (found === undefined)
    throw new SchemaError(`it refers to ${reference.slice(0, 80)}, which does not exist`)
  return found
}

/** Node budget for the validation of all schemas of one server. */
export type SchemaBudget = { nodes: number }

/** Throws a `SchemaError` if the schema is invalid. */
export const validateSchema = (inputSchema: JsonObject, budget: SchemaBudget): SchemaNotes => {
  if (budget.nodes <= 0) throw new SchemaError('the list of tools is too large to validate')
  const { notes, nodes } = checkingSchema(inputSchema)
  budget.nodes -= nodes
  return notes
}

/** Prepares a check for a schema that was validated when the tool was accepted. */
export const prepareArgumentCheck = (inputSchema: JsonObject, options: CheckingOptions = {}): SchemaCheck =>
  prepareCheck(checkingSchema(inputSchema, options).schema)

/** Preparing this many nodes takes a few milliseconds. */
export const MAX_INLINE_NODES = 500

/** As `prepareArgumentCheck`, or null for a schema that is so large that it must be prepared in a worker. */
export const prepareInlineCheck = (
  inputSchema: JsonObject,
  options: CheckingOptions = {},
): SchemaCheck | null => {
  const { schema, nodes } = checkingSchema(inputSchema, { ...options, maxNodes: MAX_INLINE_NODES })
  return nodes > MAX_INLINE_NODES ? null : prepareCheck(schema)
}

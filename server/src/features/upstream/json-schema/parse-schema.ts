import { isObject, type JsonObject } from '../json.ts'
import { prepareCheck, type SchemaCheck } from './check.ts'
import { KEYWORDS, type Keyword } from './keywords.ts'
import { isLinear } from './pattern.ts'

/** What is said of a schema that is used, but not all of it. */
export type SchemaNotes = Set<string>

/** A schema that cannot be used. The message says what is wrong with it. */
export class SchemaError extends Error {}

/** References written out may be many times the size of the schema. */
const MOST_NODES = 2000

/** `root`: the document that references are resolved in. Default: the schema itself. */
export type CheckingOptions = { trusted?: boolean; maxNodes?: number; root?: JsonObject }

/**
 * The schema that arguments are checked against here: the server's own, with references written out and reduced to keywords
 * whose cost can be counted. Patterns that may not be linear, `uniqueItems` (quadratic) and circular references are omitted; the
 * server checks all of it itself. `trusted`: from a connector file, whose patterns were proven linear when it was read.
 */
export const checkingSchema = (
  schema: JsonObject,
  { trusted = false, maxNodes = MOST_NODES, root = schema }: CheckingOptions = {},
): { schema: JsonObject; notes: SchemaNotes; nodes: number } => {
  const notes: SchemaNotes = new Set()
  let nodes = 0

  const visit = (node: unknown, open: string[]): unknown => {
    if (typeof node === 'boolean') return node
    if (!isObject(node)) throw new SchemaError('a part of it is neither an object nor true or false')
    if (++nodes > maxNodes) {
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
    return visit(resolve(root, reference), [...open, reference])
  }

  const writeOut = (node: JsonObject, open: string[]): JsonObject => {
    const one = (value: unknown) => visit(value, open)
    const list = (value: unknown) => asList(value).map(one)
    const writeKeyword = (key: string, value: unknown): unknown => {
      const { form, isValid } = KEYWORDS.get(key) as Keyword
      if (isValid?.(value) === false) throw new SchemaError('it is not a JSON Schema')
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
    const written: JsonObject = {}
    for (const [key, value] of Object.entries(node))
      if (KEYWORDS.has(key)) written[key] = writeKeyword(key, value)
    // An empty enum allows no value. The server checks it.
    if (Array.isArray(written.enum) && written.enum.length === 0) delete written.enum
    if (node.pattern !== undefined && typeof node.pattern !== 'string')
      throw new SchemaError('it is not a JSON Schema')
    return trusted ? withTrusted(node, written) : withPatterns(node, written, notes)
  }

  const written = visit(schema, []) as JsonObject
  return { schema: written, notes, nodes }
}

const withTrusted = ({ pattern, uniqueItems }: JsonObject, written: JsonObject): JsonObject => ({
  ...written,
  ...(pattern !== undefined && { pattern }),
  ...(uniqueItems !== undefined && { uniqueItems }),
})

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

/** What judging all schemas of a list together may cost. */
export type Effort = { nodes: number }

/** Throws a `SchemaError` where it is not a valid schema. */
export const judgeSchema = (inputSchema: JsonObject, effort: Effort): SchemaNotes => {
  if (effort.nodes <= 0) throw new SchemaError('the list of tools is too large to be judged to its end')
  const { notes, nodes } = checkingSchema(inputSchema)
  effort.nodes -= nodes
  return notes
}

/** A check of arguments against a schema that was validated when the tool was accepted. */
export const prepareArgumentCheck = (inputSchema: JsonObject, options: CheckingOptions = {}): SchemaCheck =>
  prepareCheck(checkingSchema(inputSchema, options).schema)

/** Preparing this many nodes takes a few milliseconds. */
export const MAX_INLINE_NODES = 500

/** The same where preparing it is cheap; null for a schema that must be prepared in a worker. */
export const prepareInlineCheck = (
  inputSchema: JsonObject,
  options: CheckingOptions = {},
): SchemaCheck | null => {
  const { schema, nodes } = checkingSchema(inputSchema, { ...options, maxNodes: MAX_INLINE_NODES })
  return nodes > MAX_INLINE_NODES ? null : prepareCheck(schema)
}

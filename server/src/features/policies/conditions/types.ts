import { callerTypes, toolEffects } from '@carabiner/contract'
import { isObject, type JsonObject } from '../../../core/json/object.ts'
import type { Variable } from './compile-condition.ts'
import type { ParameterKind } from './overload.ts'
import type { NamedTool } from './policy.ts'

/** What is known of a value before a call. */
export type Type =
  | { kind: Exclude<ParameterKind, 'string' | 'list' | 'map'> }
  /** `values` are the only possible ones. */
  | { kind: 'string'; values?: readonly string[] }
  | { kind: 'list'; item: Type }
  /** Without `fields`, the map can have any. */
  | { kind: 'map'; fields?: Fields }

/** Found when a condition reads them, because schemas can be large. */
export type Fields = { get: (name: string) => Field | undefined; names: () => string[] }

/** `absentFrom` names the tools whose calls may not have the field. */
export type Field = { type: Type; absentFrom: readonly string[] }

export const ANY: Type = { kind: 'any' }
export const BOOL: Type = { kind: 'bool' }
export const STRING: Type = { kind: 'string' }
const OPEN_MAP: Type = { kind: 'map' }

const mapOf = (types: Record<string, Type>): Type => {
  const fields = new Map(Object.entries(types).map(([name, type]) => [name, { type, absentFrom: [] }]))
  return { kind: 'map', fields: { get: name => fields.get(name), names: () => [...fields.keys()] } }
}

export const variableTypes: Record<Exclude<Variable, 'args'>, Type> = {
  tool: mapOf({
    name: STRING,
    connector: STRING,
    read_only: BOOL,
    destructive: BOOL,
    effects: { kind: 'list', item: { kind: 'string', values: toolEffects } },
  }),
  account: mapOf({ identity: STRING, label: STRING, shared: BOOL, organization: BOOL }),
  user: mapOf({ id: STRING, origin_user_id: STRING, metadata: OPEN_MAP }),
  client: mapOf({ id: STRING, type: { kind: 'string', values: callerTypes } }),
  pack: mapOf({ id: STRING }),
  mode: { kind: 'string', values: ['test', 'production'] },
  now: { kind: 'timestamp' },
}

/** The schema of one tool for a value. */
type Source = { tool: string; schema: JsonObject }

/** The arguments of any of the tools. */
export const typeOfArguments = (tools: readonly NamedTool[]): Type =>
  objectType(tools.map(({ name, inputSchema }) => ({ tool: name, schema: inputSchema })))

const objectType = (sources: readonly Source[]): Type => {
  const objects = sources.map(({ tool, schema }) => ({
    tool,
    properties: propertiesOf(schema),
    required: new Set(Array.isArray(schema.required) ? schema.required : []),
  }))
  const isOpen = objects.some(({ properties }) => properties === null)
  return isOpen ? OPEN_MAP : { kind: 'map', fields: fieldsOf(objects as ObjectSource[]) }
}

type ObjectSource = { tool: string; properties: JsonObject; required: ReadonlySet<unknown> }

const fieldsOf = (objects: readonly ObjectSource[]): Fields => ({
  names: () => [...new Set(objects.flatMap(({ properties }) => Object.keys(properties)))],
  get: name => {
    const having = objects.filter(({ properties }) => Object.hasOwn(properties, name))
    if (having.length === 0) return undefined
    const schemas = having.map(({ tool, properties: { [name]: schema } }) => ({
      tool,
      schema: isObject(schema) ? schema : {},
    }))
    const absentFrom = objects.filter(object => !having.includes(object) || !object.required.has(name))
    return { type: typeOf(schemas), absentFrom: absentFrom.map(({ tool }) => tool) }
  },
})

/** Null if the object can have other properties than the declared ones. */
const propertiesOf = ({
  properties,
  additionalProperties,
  patternProperties,
}: JsonObject): JsonObject | null =>
  isObject(properties) && !additionalProperties && patternProperties === undefined ? properties : null

const MAX_NESTED_LISTS = 8

const typeOf = (sources: readonly Source[], lists = 0): Type => {
  const [kind = 'any', ...others] = new Set(sources.map(({ schema }) => kindOfSchema(schema)))
  if (others.length > 0) return ANY
  if (kind === 'map') return objectType(sources)
  if (kind === 'list') {
    const items = sources.map(({ tool, schema }) => ({
      tool,
      schema: isObject(schema.items) ? schema.items : {},
    }))
    return { kind, item: lists < MAX_NESTED_LISTS ? typeOf(items, lists + 1) : ANY }
  }
  const values = kind === 'string' ? sources.flatMap(({ schema }) => valuesOf(schema)) : [null]
  return values.includes(null) ? { kind } : { kind: 'string', values: values as string[] }
}

/** Null stands for any string. */
const valuesOf = (schema: JsonObject): (string | null)[] => {
  const values = schema.const === undefined ? schema.enum : [schema.const]
  return Array.isArray(values) && values.every(value => typeof value === 'string') ? values : [null]
}

const COMBINATORS = ['$ref', '$dynamicRef', 'anyOf', 'oneOf', 'allOf', 'not', 'if']
const KINDS = {
  string: 'string',
  // Numbers of JSON are doubles.
  integer: 'double',
  number: 'double',
  boolean: 'bool',
  array: 'list',
  object: 'map',
} as const

const kindOfSchema = (schema: JsonObject): 'any' | (typeof KINDS)[keyof typeof KINDS] => {
  if (COMBINATORS.some(name => schema[name] !== undefined)) return 'any'
  const [name, ...others] = [schema.type].flat().filter(type => type !== 'null')
  const isKnown = typeof name === 'string' && others.length === 0 && Object.hasOwn(KINDS, name)
  return isKnown ? KINDS[name as keyof typeof KINDS] : 'any'
}

import { isObject } from '../../../core/json/object.ts'

type Form = 'schema' | 'list' | 'map' | 'plain' | 'enum' | 'items'
export type Keyword = { form: Form; isValid?: (value: unknown) => boolean }

const TYPES = new Set<unknown>(['string', 'number', 'integer', 'boolean', 'null', 'array', 'object'])

const isNumber = (value: unknown): boolean => typeof value === 'number'
const isCount = (value: unknown): boolean => Number.isInteger(value) && (value as number) >= 0
const isNames = (value: unknown): boolean =>
  Array.isArray(value) &&
  value.every(name => typeof name === 'string') &&
  new Set(value).size === value.length
const isTypes = (value: unknown): boolean =>
  Array.isArray(value)
    ? value.length > 0 && value.every(type => TYPES.has(type)) && new Set(value).size === value.length
    : TYPES.has(value)

const all = (form: Form, keys: string[], isValid?: Keyword['isValid']): [string, Keyword][] =>
  keys.map(key => [key, { form, ...(isValid && { isValid }) }])

/** The supported keywords, the form of each value, and its validation. */
export const KEYWORDS = new Map<string, Keyword>([
  ...all('schema', ['additionalProperties', 'additionalItems', 'contains', 'not', 'if', 'then', 'else']),
  ...all('schema', ['propertyNames', 'unevaluatedProperties', 'unevaluatedItems']),
  ...all(
    'list',
    ['allOf', 'anyOf', 'oneOf', 'prefixItems'],
    value => Array.isArray(value) && value.length > 0,
  ),
  ...all('map', ['properties', 'patternProperties', 'dependentSchemas']),
  ...all('plain', ['minimum', 'maximum', 'exclusiveMinimum', 'exclusiveMaximum'], isNumber),
  ...all('plain', ['multipleOf'], value => typeof value === 'number' && value > 0),
  ...all('plain', ['minLength', 'maxLength', 'minItems', 'maxItems', 'minContains', 'maxContains'], isCount),
  ...all('plain', ['minProperties', 'maxProperties'], isCount),
  ...all('plain', ['type'], isTypes),
  ...all('plain', ['required'], isNames),
  ...all('plain', ['dependentRequired'], value => isObject(value) && Object.values(value).every(isNames)),
  ...all('plain', ['const']),
  ...all('enum', ['enum']),
  ...all('items', ['items']),
])

/** Keywords that are handled separately, and those that do not restrict values. */
export const OTHER_KEYWORDS = new Set(
  [
    'pattern uniqueItems $ref $defs definitions $schema $id $comment',
    'title description default examples deprecated readOnly writeOnly format contentEncoding contentMediaType',
  ].flatMap(names => names.split(' ')),
)

import { nameOf, type Schema } from './document.ts'

export type FieldOptions = {
  schemas: Record<string, Schema>
  /** The address of the section that describes a schema. Without one, its fields are listed in place. */
  linkTo: (name: string) => string | undefined
  /** A request shows which fields are required, and their limits. */
  isRequest: boolean
}

const MAX_DEPTH = 6
/** Objects with more variants, such as events, have pages of their own. */
export const MAX_VARIANTS = 6

/** The fields of an object as a Markdown list, with nested lists for the objects in it. */
export const listFields = (schema: Schema, options: FieldOptions, indent = ''): string => {
  if (indent.length / 2 > MAX_DEPTH) return ''
  const { properties = {}, required = [] } = schema
  return Object.entries(properties)
    .map(([name, field]) => describeField(name, field, required.includes(name), options, indent))
    .join('\n\n')
}

export const describeField = (
  name: string,
  field: Schema,
  isRequired: boolean,
  options: FieldOptions,
  indent = '',
): string => {
  const facts = [typeOf(field, options), ...(options.isRequest ? limitsOf(field) : [])]
  if (options.isRequest && isRequired) facts.push('required')
  const description = descriptionOf(field)
  const inner = `${indent}  `
  const nested = objectsIn(field, options).map(object => listFields(object, options, inner))
  const parts = [
    `${indent}- \`${name}\` *${facts.join(', ')}*`,
    ...(description ? [`${inner}${escape(description)}`] : []),
    ...nested.filter(Boolean),
  ]
  return parts.join('\n\n')
}

const descriptionOf = ({ description, anyOf = [] }: Schema): string | undefined =>
  description ?? anyOf.find(variant => variant.description)?.description

/** Vue would evaluate braces, and Markdown would read an angle bracket as HTML. */
export const escape = (text: string): string =>
  text
    .split(/(`[^`]*`)/)
    .map((part, index) => (index % 2 === 1 ? part : part.replaceAll('<', '&lt;').replaceAll('{', '&#123;')))
    .join('')

// --- types --------------------------------------------------------------------------------------------------------------

const FORMATS: Record<string, string> = { 'date-time': 'timestamp', uuid: 'UUID', uri: 'URL', date: 'date' }

export const typeOf = (schema: Schema, options: FieldOptions): string => {
  const name = nameOf(schema)
  if (name) return linkOf(name, options)
  if (schema.const !== undefined) return literal(schema.const)
  if (schema.enum) return either(schema.enum.map(literal))
  if (schema.anyOf) return either([...new Set(schema.anyOf.map(variant => typeOf(variant, options)))])
  if (schema.type === 'array') return `list of ${plural(typeOf(schema.items ?? {}, options))}`
  const values = valuesOf(schema)
  if (values) return `map of ${plural(typeOf(values, options))}`
  return FORMATS[schema.format ?? ''] ?? schema.type ?? 'any value'
}

const literal = (value: unknown): string => `\`${typeof value === 'string' ? value : JSON.stringify(value)}\``

const linkOf = (name: string, options: FieldOptions): string => {
  const address = options.linkTo(name)
  if (address) return `[${name}](${address})`
  return options.schemas[name]?.properties ? 'object' : typeOf(options.schemas[name] ?? {}, options)
}

const either = (types: string[]): string =>
  types.length > 1 ? `${types.slice(0, -1).join(', ')} or ${types.at(-1)}` : types.join('')

export const plural = (type: string): string =>
  /^[a-z]+$|^U/.test(type) && type !== 'any value' ? `${type}s` : type

/** The values of an object with arbitrary keys. */
const valuesOf = ({ additionalProperties, patternProperties }: Schema): Schema | undefined =>
  patternProperties
    ? Object.values(patternProperties)[0]
    : typeof additionalProperties === 'object'
      ? additionalProperties
      : undefined

const limitsOf = (schema: Schema): string[] => {
  const { minLength = 0, maxLength, minimum, maximum, maxItems, anyOf = [] } = schema
  if (anyOf.length > 0) return anyOf.flatMap(limitsOf)
  const group = (value: number) => value.toLocaleString('en')
  if (maxItems !== undefined) return [`at most ${group(maxItems)}`]
  if (maximum !== undefined) return [`${group(minimum ?? 0)} to ${group(maximum)}`]
  if (maxLength === undefined) return []
  return [
    minLength > 1
      ? `${minLength} to ${group(maxLength)} characters`
      : `at most ${group(maxLength)} characters`,
  ]
}

// --- nested objects -----------------------------------------------------------------------------------------------------

/** Objects whose fields are listed below the field that contains them. */
const objectsIn = (schema: Schema, options: FieldOptions): Schema[] => {
  const name = nameOf(schema)
  if (name) return options.linkTo(name) ? [] : objectsIn(options.schemas[name] ?? {}, options)
  if (schema.properties) return [schema]
  if (schema.items) return objectsIn(schema.items, options)
  const values = valuesOf(schema)
  if (values) return objectsIn(values, options)
  const variants = (schema.anyOf ?? []).flatMap(variant => objectsIn(variant, options))
  return variants.length > MAX_VARIANTS ? [] : variants
}

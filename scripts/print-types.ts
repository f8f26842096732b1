import { withDescriptions } from '@carabiner/contract/property-descriptions'

export type PrintedSchema = {
  type?: string
  pattern?: string
  description?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: PrintedSchema[]
  items?: PrintedSchema
  properties?: Record<string, PrintedSchema>
  required?: string[]
  patternProperties?: Record<string, PrintedSchema>
}

/** An interface names its schema. A union has a schema of the same name. */
const DECLARED =
  /^export (?:interface (\w+) extends Static<typeof contract\.(\w+)> \{\}|type (\w+) = .*\bcontract\..*)$/gm

/** Expands the types that a source derives from the contract's schemas, so that no import remains. */
export const printTypes = async (source: string): Promise<string> => {
  const contract = (await import('@carabiner/contract')) as unknown as Record<string, PrintedSchema>
  const matches = [...source.matchAll(DECLARED)]
  if (matches.length === 0) throw new Error('The source derives no type from the contract.')
  return matches
    .map(([, name, extended, union]) => {
      const schema = extended ?? union ?? ''
      const declared = contract[schema]
      if (!declared) throw new Error(`The contract has no schema ${schema}.`)
      const found = withDescriptions(schema, declared)
      const declaration = name ? `interface ${name} ` : `type ${union} = `
      return `${comment(found)}export ${declaration}${printType(found)}\n`
    })
    .join('')
}

/** A value that may be null has its description in the other alternative. */
const describe = ({ description, anyOf }: PrintedSchema): string | undefined =>
  description ?? anyOf?.find(one => one.description)?.description

const comment = (schema: PrintedSchema, indent = ''): string => {
  const description = describe(schema)
  return description ? `${indent}/** ${description.replaceAll('*/', '')} */\n` : ''
}

export const printType = (schema: PrintedSchema, indent = ''): string => {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  if (schema.anyOf) return schema.anyOf.map(one => printType(one, indent)).join(' | ')
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `Array<${printType(schema.items ?? {}, indent)}>`
    case 'object':
      return printObject(schema, indent)
    case undefined:
      return 'unknown'
    default:
      throw new Error(`Unsupported schema: ${JSON.stringify(schema)}.`)
  }
}

const printObject = (
  { properties, required = [], patternProperties }: PrintedSchema,
  indent: string,
): string => {
  if (!properties)
    return `Record<string, ${
      Object.values(patternProperties ?? {})
        .map(values => printType(values, indent))
        .join(' | ') || 'unknown'
    }>`
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema, inner)}${inner}${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${printType(schema, inner)};\n`,
  )
  return `{\n${lines.join('')}${indent}}`
}

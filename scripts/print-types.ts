type Schema = {
  type?: string
  description?: string
  const?: unknown
  enum?: unknown[]
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  patternProperties?: Record<string, Schema>
}

/** An interface names its schema. A union has a schema of the same name. */
const DECLARED =
  /^export (?:interface (\w+) extends Static<typeof contract\.(\w+)> \{\}|type (\w+) = .*\bcontract\..*)$/gm

/** Expands the types that a source derives from the contract's schemas, so that no import remains. */
export const printTypes = async (source: string): Promise<string> => {
  const contract = (await import('@carabiner/contract')) as unknown as Record<string, Schema>
  const declared = [...source.matchAll(DECLARED)]
  if (declared.length === 0) throw new Error('The source derives no type from the contract.')
  return declared
    .map(([, name, extended, union]) => {
      const schema = extended ?? union ?? ''
      const found = contract[schema]
      if (!found) throw new Error(`The contract has no schema ${schema}.`)
      const declaration = name ? `interface ${name} ` : `type ${union} = `
      return `${comment(found)}export ${declaration}${print(found, '')}\n`
    })
    .join('')
}

/** A value that may be null has its description in the other alternative. */
const describe = ({ description, anyOf }: Schema): string | undefined =>
  description ?? anyOf?.find(one => one.description)?.description

const comment = (schema: Schema, indent = ''): string => {
  const description = describe(schema)
  return description ? `${indent}/** ${description.replaceAll('*/', '')} */\n` : ''
}

const print = (schema: Schema, indent: string): string => {
  if (schema.const !== undefined) return JSON.stringify(schema.const)
  if (schema.enum) return schema.enum.map(value => JSON.stringify(value)).join(' | ')
  if (schema.anyOf) return schema.anyOf.map(one => print(one, indent)).join(' | ')
  switch (schema.type) {
    case 'string':
    case 'boolean':
    case 'null':
      return schema.type
    case 'integer':
    case 'number':
      return 'number'
    case 'array':
      return `Array<${print(schema.items ?? {}, indent)}>`
    case 'object':
      return printObject(schema, indent)
    case undefined:
      return 'unknown'
    default:
      throw new Error(`Unsupported schema: ${JSON.stringify(schema)}.`)
  }
}

const printObject = ({ properties, required = [], patternProperties }: Schema, indent: string): string => {
  if (!properties)
    return `Record<string, ${
      Object.values(patternProperties ?? {})
        .map(values => print(values, indent))
        .join(' | ') || 'unknown'
    }>`
  const inner = `${indent}  `
  const lines = Object.entries(properties).map(
    ([name, schema]) =>
      `${comment(schema, inner)}${inner}${/^\w+$/.test(name) ? name : JSON.stringify(name)}${required.includes(name) ? '' : '?'}: ${print(schema, inner)};\n`,
  )
  return `{\n${lines.join('')}${indent}}`
}

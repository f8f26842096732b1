/** One input of a tool, as a control of the form. `json`: objects, arrays and everything that has no control of its own. */
export type InputField = {
  name: string
  kind: 'text' | 'number' | 'boolean' | 'choice' | 'json'
  isInteger: boolean
  isRequired: boolean
  description: string | undefined
  choices: readonly unknown[]
  example: string
}
export type Problem = { name: string; message: string }

type Schema = Record<string, unknown>

const isObject = (value: unknown): value is Schema =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** The inputs of a schema, the required ones first. */
export const fieldsOf = (schema: Schema): InputField[] => {
  const properties = isObject(schema['properties']) ? schema['properties'] : {}
  const required: unknown[] = Array.isArray(schema['required']) ? schema['required'] : []
  return Object.entries(properties)
    .map(([name, property]) => fieldOf(name, isObject(property) ? property : {}, required.includes(name)))
    .toSorted((a, b) => Number(b.isRequired) - Number(a.isRequired))
}

const fieldOf = (name: string, schema: Schema, isRequired: boolean): InputField => {
  const types = [schema['type']].flat().filter(type => type !== 'null')
  const choices: unknown[] = Array.isArray(schema['enum']) ? schema['enum'] : []
  const type = types.length === 1 ? types[0] : undefined
  return {
    name,
    kind: kindOf(type, choices),
    isInteger: type === 'integer',
    isRequired,
    description: typeof schema['description'] === 'string' ? schema['description'] : undefined,
    choices,
    example: type === 'array' ? '[]' : type === 'object' ? '{}' : '',
  }
}

const kindOf = (type: unknown, choices: readonly unknown[]): InputField['kind'] => {
  if (choices.length > 0) return 'choice'
  if (type === 'string') return 'text'
  if (type === 'number' || type === 'integer') return 'number'
  return type === 'boolean' ? 'boolean' : 'json'
}

/** Empty inputs are left out of the call. */
export const readInputs = (
  fields: readonly InputField[],
  texts: Readonly<Record<string, string>>,
): { args: Record<string, unknown>; problems: Problem[] } => {
  const args: Record<string, unknown> = {}
  const problems: Problem[] = []
  for (const field of fields) {
    const text = texts[field.name] ?? ''
    if (text === '') {
      if (field.isRequired) problems.push({ name: field.name, message: 'This input is required.' })
      continue
    }
    const read = readInput(field, text)
    if ('problem' in read) problems.push({ name: field.name, message: read.problem })
    else args[field.name] = read.value
  }
  return { args, problems }
}

const readInput = (
  { kind, isInteger, choices }: InputField,
  text: string,
): { value: unknown } | { problem: string } => {
  switch (kind) {
    case 'text':
      return { value: text }
    case 'choice':
      return { value: choices[Number(text)] }
    case 'boolean':
      return { value: text === 'true' }
    case 'number': {
      const value = Number(text)
      if (!Number.isFinite(value)) return { problem: 'This is not a number.' }
      if (isInteger && !Number.isInteger(value)) return { problem: 'This must be a whole number.' }
      return { value }
    }
    case 'json':
      try {
        return { value: JSON.parse(text) as unknown }
      } catch (error) {
        return { problem: `This is not valid JSON. ${(error as Error).message}` }
      }
  }
}

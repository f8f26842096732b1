import { type PatternNode, parsePattern } from '@carabiner/detection/patterns'

type Schema = {
  type?: string
  enum?: unknown[]
  examples?: unknown[]
  pattern?: string
  minLength?: number
  minimum?: number
  minItems?: number
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
  minProperties?: number
}

/** A valid value for a schema: either minimal, or with all optional properties. */
export const exampleOf = (schema: Schema, includeOptional: boolean): unknown => {
  const [example] = schema.enum ?? schema.examples ?? []
  if (example !== undefined) return example
  switch (schema.type) {
    case 'string':
      return (schema.pattern ? matchingText(schema.pattern) : 'x').padEnd(schema.minLength ?? 1, 'x')
    case 'integer':
    case 'number':
      return schema.minimum ?? 1
    case 'boolean':
      return true
    case 'array':
      return Array.from({ length: Math.max(schema.minItems ?? 1, 1) }, () =>
        exampleOf(schema.items ?? {}, includeOptional),
      )
    case 'object':
      if (schema.minProperties && !schema.properties) return { name: 'x' }
      return Object.fromEntries(
        Object.entries(schema.properties ?? {})
          .filter(([name]) => includeOptional || schema.required?.includes(name))
          .map(([name, member]) => [name, exampleOf(member, includeOptional)]),
      )
    case undefined:
    default:
      return 'x'
  }
}

const matchingText = (pattern: string): string => {
  const parsed = parsePattern(pattern)
  if (typeof parsed === 'string') throw new Error(`${pattern} is ${parsed}`)
  return textOf(parsed)
}

const textOf = (node: PatternNode): string => {
  switch (node.kind) {
    case 'set':
      return (
        [...node.set].find(letter => /[a-z0-9]/i.test(letter)) ??
        [...node.set].find(letter => letter > ' ') ??
        ''
      )
    case 'sequence':
      return node.parts.map(textOf).join('')
    case 'choice':
      return textOf(node.parts[0] as PatternNode)
    case 'repeat':
      return textOf(node.part).repeat(node.atLeast)
    case 'group':
      return textOf(node.part)
    case 'optional':
      return ''
  }
}

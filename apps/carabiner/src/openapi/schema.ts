import { checkPattern } from '@carabiner/detection/patterns'
import { isObject } from '@carabiner/server/connector-files'
import { listOf, type Part, partsOf, type Resolve, textOf } from './document.ts'

const MAX_DEPTH = 6
/** A recursive schema is written this many times within itself. */
const MAX_RECURSION = 2
const MAX_NODES = 1500
const MAX_VARIANTS = 8
const MAX_PROPERTIES = 100
const MAX_ENUM = 200

/** Called for each omitted part of a schema. */
export type Drop = (what: string) => void

/** Keywords with the same meaning in JSON Schema and OpenAPI that a model can use. */
const NUMBERS = [
  'minimum',
  'maximum',
  'minLength',
  'maxLength',
  'minItems',
  'maxItems',
  'multipleOf',
] as const

/**
 * Expands a schema of the document: references are resolved, read-only properties are dropped, and parts that are
 * deeper or larger than a model could use are left unconstrained.
 */
export const createSchemaWriter =
  (resolve: Resolve, drop: Drop) =>
  (schema: unknown): Part => {
    let nodes = 0
    const write = (value: unknown, depth: number, open: readonly string[]): Part => {
      if (++nodes > MAX_NODES || depth > MAX_DEPTH) {
        drop(`parts of its schemas beyond ${MAX_DEPTH} levels or ${MAX_NODES} parts`)
        return {}
      }
      if (!isObject(value)) return {}
      const resolved = resolve(value)
      const references = [...referencesOf(value), ...(resolved === value ? [] : referencesOf(resolved))]
      const part = mergeAll(resolved, resolve)
      if (references.some(one => open.filter(other => other === one).length >= MAX_RECURSION)) {
        drop(`levels of a recursive schema beyond ${MAX_RECURSION}`)
        return { ...describe(part), ...writeType(part) }
      }
      reportLimits(part, drop)
      const inside = [...open, ...references]
      const writeIn = (inner: unknown): Part => write(inner, depth + 1, inside)
      return { ...describe(part), ...writeType(part), ...limits(part), ...writeInner(part, writeIn) }
    }
    return write(schema, 0, [])
  }

/** The schemas that a schema refers to or inherits from. */
const referencesOf = ({ $ref, allOf }: Part): string[] =>
  [$ref, ...listOf(allOf).map(one => (isObject(one) ? one.$ref : undefined))].filter(
    reference => typeof reference === 'string',
  )

const reportLimits = (part: Part, drop: Drop): void => {
  const pattern = textOf(part.pattern)
  if (pattern !== undefined && !isKeptPattern(pattern))
    drop(`the pattern ${shorten(pattern, 60)}, which may take long to check`)
  if (listOf(part.enum).length > MAX_ENUM) drop(`a list of more than ${MAX_ENUM} allowed values`)
  if (partsOf(part.properties).length > MAX_PROPERTIES) drop(`members of a schema beyond ${MAX_PROPERTIES}`)
  if ([...listOf(part.oneOf), ...listOf(part.anyOf)].length > MAX_VARIANTS)
    drop(`variants of a schema beyond ${MAX_VARIANTS}`)
}

export const isKeptPattern = (pattern: string): boolean =>
  pattern.length <= 160 && checkPattern(pattern) === null

export const shorten = (text: string, length: number): string => {
  const plain = text
    .replace(/<[^<>]{0,200}>/g, ' ')
    .replace(/[\s\p{Cc}]+/gu, ' ')
    .trim()
  return plain.length > length
    ? `${plain
        .slice(0, length - 1)
        .trimEnd()
        .toWellFormed()}…`
    : plain
}

const describe = (part: Part): Part => {
  const format = textOf(part.format)
  const text = shorten(textOf(part.description) ?? textOf(part.title) ?? '', 200)
  // Formats are only documentation for the model; nothing validates them.
  const description = [text, format && !text.includes(format) ? `Format: ${shorten(format, 40)}.` : '']
    .filter(sentence => sentence !== '')
    .join(' ')
  return description === '' ? {} : { description }
}

const TYPES = new Set(['string', 'number', 'integer', 'boolean', 'array', 'object', 'null'])

const writeType = (part: Part): Part => {
  const named = [part.type].flat().filter(type => typeof type === 'string' && TYPES.has(type))
  const guessed = named.length === 0 && isObject(part.properties) ? ['object'] : named
  const types = part.nullable === true && guessed.length > 0 ? [...new Set([...guessed, 'null'])] : guessed
  if (types.length === 0) return {}
  return { type: types.length === 1 ? types[0] : types }
}

const limits = (part: Part): Part => {
  const kept: Part = {}
  for (const name of NUMBERS) {
    const limit = part[name]
    if (typeof limit === 'number' && Number.isFinite(limit) && (name !== 'multipleOf' || limit > 0))
      kept[name] = limit
  }
  const pattern = textOf(part.pattern)
  // The provider validates patterns that could be slow.
  if (pattern !== undefined && isKeptPattern(pattern)) kept.pattern = pattern
  const allowed = [...new Set(listOf(part.enum).filter(isScalar))]
  if (allowed.length > 0 && allowed.length <= MAX_ENUM) kept.enum = allowed
  else if (isScalar(part.const) && part.const !== undefined) kept.enum = [part.const]
  if (isScalar(part.default)) kept.default = part.default
  return kept
}

const isScalar = (value: unknown): boolean =>
  value === null || ['string', 'number', 'boolean'].includes(typeof value)

const writeInner = (part: Part, write: (value: unknown) => Part): Part => {
  const inner: Part = {}
  const members = partsOf(part.properties).slice(0, MAX_PROPERTIES)
  if (members.length > 0) {
    const written = members.filter(([, member]) => !(isObject(member) && member.readOnly === true))
    inner.properties = Object.fromEntries(written.map(([name, member]) => [name, write(member)]))
    const required = listOf(part.required).filter(name => written.some(([known]) => known === name))
    if (required.length > 0) inner.required = [...new Set(required)]
  }
  if (isObject(part.items)) inner.items = write(part.items)
  if (isObject(part.additionalProperties)) inner.additionalProperties = write(part.additionalProperties)
  const variants = [...listOf(part.oneOf), ...listOf(part.anyOf)].slice(0, MAX_VARIANTS)
  if (variants.length > 0) inner.anyOf = variants.map(write)
  return inner
}

/** Merges `allOf` into one schema; documents use it for inheritance. */
const mergeAll = (part: Part, resolve: Resolve, depth = 0): Part => {
  const parts = listOf(part.allOf)
  if (parts.length === 0 || depth > MAX_DEPTH) return part
  return parts
    .slice(0, MAX_VARIANTS)
    .map(one => mergeAll(resolve(one), resolve, depth + 1))
    .reduce<Part>(
      (merged, one) => ({
        ...one,
        ...merged,
        properties: {
          ...(isObject(merged.properties) && merged.properties),
          ...(isObject(one.properties) && one.properties),
        },
        required: [...listOf(merged.required), ...listOf(one.required)],
      }),
      { ...part, allOf: undefined },
    )
}

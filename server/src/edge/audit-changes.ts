import { isDeepStrictEqual } from 'node:util'
import type { FieldChange, PlainValue } from '../core/audited-change.ts'

export type Resource = Record<string, unknown>

type ChangeInput = { before: Resource | null; response: Resource; body: unknown; values: readonly string[] }

const MAX_VALUE_LENGTH = 200

/**
 * The changed fields by name. With the previous resource: the fields that differ, and the write-only ones (secrets)
 * that were given. Otherwise the fields that were given. Values are included for declared fields only, and only if
 * they are primitive or lists of texts.
 */
export const describeChanges = ({ values, body, ...input }: ChangeInput): FieldChange[] => {
  const before = input.before && withPaths(input.before, values)
  const response = withPaths(input.response, values)
  const isRecorded = (field: string) => values.includes(field) && field in response
  const names = before
    ? [...changedFields(before, response), ...fieldsOf(body).filter(field => !(field in response))]
    : [...fieldsOf(body), ...values.filter(field => isRecorded(field) && !isMissing(field, response))]
  return [...new Set(names)].toSorted().map(field => ({
    field,
    ...(before && isRecorded(field) && plain('from', before[field])),
    ...(isRecorded(field) && plain('to', response[field])),
  }))
}

/** Adds the declared fields of nested objects under their path, such as `identity_provider.issuer`. */
const withPaths = (resource: Resource, values: readonly string[]): Resource => ({
  ...resource,
  ...Object.fromEntries(
    values.filter(path => path.includes('.')).map(path => [path, valueAt(resource, path)] as const),
  ),
})

/** A nested object that the resource does not have. */
const isMissing = (field: string, resource: Resource): boolean =>
  field.includes('.') && resource[field] === null

const valueAt = (resource: Resource, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (value as Resource | null | undefined)?.[name] ?? null, resource)

const changedFields = (before: Resource, response: Resource): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(response)])]
    // The entry has its own timestamp.
    .filter(field => !field.endsWith('_at'))
    .filter(field => !isDeepStrictEqual(asJson(before[field]), response[field]))

/** The value as the API would return it. */
const asJson = (value: unknown): unknown => (value === undefined ? value : JSON.parse(JSON.stringify(value)))

const fieldsOf = (body: unknown): string[] =>
  body !== null && typeof body === 'object' && !ArrayBuffer.isView(body) && !Array.isArray(body)
    ? Object.keys(body)
    : []

const plain = (name: 'from' | 'to', value: unknown): { [Name in 'from' | 'to']?: PlainValue } => {
  if (isListOfTexts(value)) return plain(name, value.join(', '))
  if (value === null || value === undefined) return { [name]: null }
  if (typeof value === 'string') return { [name]: value.slice(0, MAX_VALUE_LENGTH).toWellFormed() }
  return typeof value === 'number' || typeof value === 'boolean' ? { [name]: value } : {}
}

const isListOfTexts = (value: unknown): value is string[] =>
  Array.isArray(value) && value.every(item => typeof item === 'string')

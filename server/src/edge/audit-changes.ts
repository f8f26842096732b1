import { isDeepStrictEqual } from 'node:util'
import type { FieldChange, PlainValue } from '../core/audited-change.ts'

export type Resource = Record<string, unknown>

type ChangeInput = { before: Resource | null; answer: Resource; body: unknown; values: readonly string[] }

const MAX_VALUE_LENGTH = 200

/**
 * The changed fields by name. With the previous resource: the fields that differ, and the write-only ones (secrets)
 * that were given. Otherwise the fields that were given. Values are included for declared fields only, and only if
 * they are primitive.
 */
export const describeChanges = ({ values, body, ...input }: ChangeInput): FieldChange[] => {
  const before = input.before && withPaths(input.before, values)
  const answer = withPaths(input.answer, values)
  const isRecorded = (field: string) => values.includes(field) && field in answer
  const names = before
    ? [...changedFields(before, answer), ...fieldsOf(body).filter(field => !(field in answer))]
    : [...fieldsOf(body), ...values.filter(isRecorded)]
  return [...new Set(names)].toSorted().map(field => ({
    field,
    ...(before && isRecorded(field) && plain('from', before[field])),
    ...(isRecorded(field) && plain('to', answer[field])),
  }))
}

/** Adds the declared fields of nested objects under their path, such as `identity_provider.issuer`. */
const withPaths = (resource: Resource, values: readonly string[]): Resource => ({
  ...resource,
  ...Object.fromEntries(
    values.filter(path => path.includes('.')).map(path => [path, valueAt(resource, path)] as const),
  ),
})

const valueAt = (resource: Resource, path: string): unknown =>
  path
    .split('.')
    .reduce<unknown>((value, name) => (value as Resource | null | undefined)?.[name] ?? null, resource)

const changedFields = (before: Resource, answer: Resource): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(answer)])]
    // The entry has its own timestamp.
    .filter(field => !field.endsWith('_at'))
    .filter(field => !isDeepStrictEqual(asJson(before[field]), answer[field]))

/** The value as the API would return it. */
const asJson = (value: unknown): unknown => (value === undefined ? value : JSON.parse(JSON.stringify(value)))

const fieldsOf = (body: unknown): string[] =>
  body !== null && typeof body === 'object' && !ArrayBuffer.isView(body) && !Array.isArray(body)
    ? Object.keys(body)
    : []

const plain = (name: 'from' | 'to', value: unknown): { [Name in 'from' | 'to']?: PlainValue } => {
  if (value === null || value === undefined) return { [name]: null }
  if (typeof value === 'string') return { [name]: value.slice(0, MAX_VALUE_LENGTH).toWellFormed() }
  return typeof value === 'number' || typeof value === 'boolean' ? { [name]: value } : {}
}

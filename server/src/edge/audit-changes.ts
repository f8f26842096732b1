import { isDeepStrictEqual } from 'node:util'
import type { FieldChange, PlainValue } from '../core/audited-change.ts'

export type Resource = Record<string, unknown>

type Given = { before: Resource | null; answer: Resource; body: unknown; values: readonly string[] }

const VALUE_LENGTH = 200

/**
 * Which fields changed, by name. With the resource from before: those that differ now, and those that are only ever written
 * (secrets). Without: those that were given. Values only of fields that were named for it, and only plain ones.
 */
export const describeChanges = ({ before, answer, body, values }: Given): FieldChange[] => {
  const told = (field: string) => values.includes(field) && field in answer
  const names = before
    ? [...changedFields(before, answer), ...fieldsOf(body).filter(field => !(field in answer))]
    : [...fieldsOf(body), ...values.filter(told)]
  return [...new Set(names)].toSorted().map(field => ({
    field,
    ...(before && told(field) && plain('from', before[field])),
    ...(told(field) && plain('to', answer[field])),
  }))
}

const changedFields = (before: Resource, answer: Resource): string[] =>
  [...new Set([...Object.keys(before), ...Object.keys(answer)])]
    // When it was changed is what the entry itself says.
    .filter(field => !field.endsWith('_at'))
    .filter(field => !isDeepStrictEqual(asJson(before[field]), answer[field]))

/** As it would have been answered. */
const asJson = (value: unknown): unknown => (value === undefined ? value : JSON.parse(JSON.stringify(value)))

const fieldsOf = (body: unknown): string[] =>
  body !== null && typeof body === 'object' && !ArrayBuffer.isView(body) && !Array.isArray(body)
    ? Object.keys(body)
    : []

const plain = (name: 'from' | 'to', value: unknown): { [Name in 'from' | 'to']?: PlainValue } => {
  if (value === null || value === undefined) return { [name]: null }
  if (typeof value === 'string') return { [name]: value.slice(0, VALUE_LENGTH).toWellFormed() }
  return typeof value === 'number' || typeof value === 'boolean' ? { [name]: value } : {}
}

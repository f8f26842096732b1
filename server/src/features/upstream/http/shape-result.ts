import type { ConnectorTool } from '@carabiner/contract'
import { readPointer } from '../../../core/json/json-pointer.ts'
import { isAffirmed, readText, selectPointer } from '../read-by-pointer.ts'
import { nextCursor, type Page } from './pagination.ts'

type Shape = NonNullable<ConnectorTool['result']>

/** Some providers return errors with status 200. Null on success, otherwise the provider's error text if it has one. */
export const findRefusal = ({ ok, error }: Shape, answer: unknown): { error: string | null } | null => {
  const text = error === undefined ? null : readText(answer, error)
  if (ok !== undefined) return isAffirmed(answer, ok) ? null : { error: text }
  return error !== undefined && isAffirmed(answer, error) ? { error: text } : null
}

/**
 * Selects the part of a response that the model receives. The result is always an object, because some clients drop
 * anything else: a list becomes `items`, with `next_cursor` for paginated tools.
 */
export const shapeResult = (
  { result = {}, pagination }: ConnectorTool,
  page: Omit<Page, 'items'>,
): Record<string, unknown> => {
  const found = result.at === undefined ? page.answer : readPointer(page.answer, result.at)
  const shaped = keepFields(result.fields, found)
  if (!pagination) return asObject(shaped)
  const items = Array.isArray(found) ? found : []
  return { items: shaped ?? [], next_cursor: nextCursor(pagination, { ...page, items }) }
}

const keepFields = (fields: Shape['fields'], value: unknown): unknown => {
  if (!fields || value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map(item => keepFields(fields, item))
  return Object.fromEntries(
    Object.entries(fields).flatMap(([name, pointer]) => {
      const field = selectPointer(value, pointer)
      return field === undefined ? [] : [[name, field] as const]
    }),
  )
}

const asObject = (value: unknown): Record<string, unknown> => {
  if (value === null || value === undefined) return {}
  if (Array.isArray(value)) return { items: value }
  return typeof value === 'object' ? (value as Record<string, unknown>) : { value }
}

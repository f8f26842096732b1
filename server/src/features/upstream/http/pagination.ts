import type { ConnectorTool, ToolPagination } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { isAffirmed, readPointer, readText } from '../json-pointer.ts'
import { namesIn } from './template.ts'

const MAX_CURSOR_LENGTH = 8000

const CURSOR_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_CURSOR_LENGTH,
  description: 'The next_cursor of the previous page. Keep all other arguments unchanged.',
}

const published = new WeakMap<ConnectorTool, Record<string, unknown>>()

/** The input schema that models receive. Paginated tools take a `cursor` that the connector file does not declare. */
export const publishedInputSchema = (tool: ConnectorTool): Record<string, unknown> => {
  const known = published.get(tool)
  if (known) return known
  const { properties } = tool.input_schema as { properties?: Record<string, unknown> }
  const schema = tool.pagination
    ? { ...tool.input_schema, properties: { ...properties, cursor: CURSOR_SCHEMA } }
    : tool.input_schema
  published.set(tool, schema)
  return schema
}

/** The values that a cursor adds to the request: in its templates if they use `{cursor}`, otherwise in the query. */
export type Position = { values: Record<string, unknown>; query: Record<string, string> }

export const positionOf = (
  pagination: ToolPagination | undefined,
  request: ConnectorTool['request'],
  cursor: unknown,
): Position => {
  if (!pagination) return { values: {}, query: {} }
  const isNamed = namesIn([request.url, request.query, request.headers, request.body]).includes('cursor')
  if (cursor === undefined || cursor === null) {
    const first = isNamed ? firstOf(pagination) : null
    return { values: first === null ? {} : { cursor: first }, query: {} }
  }
  if (typeof cursor !== 'string' || cursor === '' || cursor.length > MAX_CURSOR_LENGTH) throw invalidCursor()
  if (pagination.type === 'next_url')
    return { values: {}, query: readParameters(cursor, pagination.parameters) }
  const counted = pagination.type === 'page' || pagination.type === 'offset'
  if (counted && !/^\d{1,9}$/.test(cursor)) throw invalidCursor()
  return isNamed
    ? { values: { cursor: counted ? Number(cursor) : cursor }, query: {} }
    : { values: {}, query: { [pagination.parameter]: cursor } }
}

/** The number of the first page or item, for numbered pagination. */
const firstOf = (pagination: ToolPagination): number | null => {
  if (pagination.type === 'page') return pagination.first
  return pagination.type === 'offset' ? (pagination.first ?? 0) : null
}

const invalidCursor = (): Refusal =>
  new Refusal('invalid_arguments', {
    param: 'cursor',
    message: '"cursor" must be the next_cursor of a previous page.',
  })

/** Reads the parameters in a cursor that the connector file allows, so a forged cursor cannot set others. */
const readParameters = (cursor: string, allowed: string[]): Record<string, string> => {
  const given = new URLSearchParams(Buffer.from(cursor, 'base64url').toString('utf8'))
  const read = allowed.flatMap(name => {
    const value = given.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  if (read.length === 0) throw invalidCursor()
  return Object.fromEntries(read)
}

export type Page = {
  /** The URL of the request, as sent. */
  url: string
  cursor: unknown
  answer: unknown
  items: unknown[]
  headers: Record<string, string>
}

/** Null on the last page. A cursor never contains a URL: the next request is built from the same connector file. */
export const nextCursor = (pagination: ToolPagination, page: Page): string | null => {
  const next = findNext(pagination, page)
  return next === null || next === page.cursor || next.length > MAX_CURSOR_LENGTH ? null : next
}

const findNext = (pagination: ToolPagination, page: Page): string | null => {
  const { answer, items } = page
  switch (pagination.type) {
    case 'cursor':
      return indicatesMore(pagination.more, answer) ? readText(answer, pagination.next) : null
    case 'last_item':
      return indicatesMore(pagination.more, answer) ? readText(items.at(-1), pagination.id) : null
    case 'next_url':
      return parametersOf(readText(answer, pagination.next), page.url, pagination.parameters)
    case 'link_header':
      return linkParameter(page, pagination.parameter)
    case 'page':
      return hasMore(pagination, page) ? String(count(page.cursor, pagination.first) + 1) : null
    case 'offset': {
      const first = pagination.first ?? 0
      const next = count(page.cursor, first) + items.length
      return hasMore(pagination, page) && !isComplete(pagination, page, next - first) ? String(next) : null
    }
  }
}

const indicatesMore = (more: string | undefined, answer: unknown): boolean =>
  more === undefined || isAffirmed(answer, more)

const count = (cursor: unknown, first: number): number => (cursor === undefined ? first : Number(cursor))

const hasMore = ({ more, last }: { more?: string; last?: string }, { answer, items }: Page): boolean =>
  items.length > 0 &&
  indicatesMore(more, answer) &&
  (last === undefined || readPointer(answer, last) !== true)

/** Compares with the total number of items, or checks whether the page was not full. */
const isComplete = (
  { total, size }: Extract<ToolPagination, { type: 'offset' }>,
  { answer, items, url }: Page,
  seen: number,
): boolean => {
  const all = total === undefined ? undefined : readPointer(answer, total)
  if (typeof all === 'number') return seen >= all
  const pageSize = size === undefined ? null : new URL(url).searchParams.get(size)
  return pageSize !== null && items.length < Number(pageSize)
}

const parametersOf = (next: string | null, requestUrl: string, names: string[]): string | null => {
  const address = sameOrigin(next, requestUrl)
  const carried = names.flatMap(name => {
    const value = address?.searchParams.get(name)
    return value == null ? [] : [[name, value] as [string, string]]
  })
  if (carried.length === 0) return null
  return Buffer.from(new URLSearchParams(carried).toString(), 'utf8').toString('base64url')
}

/** A next-page URL on another origin is ignored. */
const sameOrigin = (next: string | null, requestUrl: string): URL | null => {
  if (next === null || !URL.canParse(next, requestUrl)) return null
  const address = new URL(next, requestUrl)
  return address.origin === new URL(requestUrl).origin ? address : null
}

const LINK = /<([^<>]*)>([^<]*)/g

/** RFC 8288. Sentry marks an empty next page with `results="false"`. */
const linkParameter = ({ headers, url }: Page, parameter: string): string | null => {
  for (const [, target = '', attributes = ''] of (headers.link ?? '').matchAll(LINK)) {
    if (!/;\s*rel="?(?:[^"]*\s)?next(?:\s[^"]*)?(?:"|;|,|$)/i.test(attributes)) continue
    if (/;\s*results="?false/i.test(attributes)) return null
    return sameOrigin(target, url)?.searchParams.get(parameter) ?? null
  }
  return null
}

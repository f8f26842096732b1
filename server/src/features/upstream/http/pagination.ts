import type { ConnectorTool, ToolPagination } from '@carabiner/contract'
import { readPointer } from '../../../core/json/json-pointer.ts'
import { Refusal } from '../../../core/refusal.ts'
import { isAffirmed, readText } from '../read-by-pointer.ts'
import { namesIn } from '../templates/template.ts'

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
  if (pagination.type === 'next_url' || pagination.type === 'link_header')
    return { values: {}, query: readParameters(cursor, pagination.parameters) }
  if (pagination.type === 'continuation') return { values: { cursor }, query: {} }
  const counted = pagination.type === 'page' || pagination.type === 'offset'
  if (counted && !/^\d{1,9}$/.test(cursor)) throw invalidCursor()
  return isNamed
    ? { values: { cursor: counted ? Number(cursor) : cursor }, query: {} }
    : { values: {}, query: { [pagination.parameter]: cursor } }
}

/** The request of the page that a cursor names. Vendors with a `continuation` request further pages at another URL. */
export const requestOfPage = (
  pagination: ToolPagination | undefined,
  request: ConnectorTool['request'],
  cursor: unknown,
): ConnectorTool['request'] => {
  if (pagination?.type !== 'continuation' || cursor === undefined || cursor === null) return request
  const { query: _query, body: _body, ...rest } = request
  const { url, body } = pagination
  return { ...rest, url, ...(body !== undefined && { body }) }
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
    case 'continuation':
      return indicatesMore(pagination.more, answer)
        ? matchedPart(readText(answer, pagination.next), pagination.pattern)
        : null
    case 'last_item':
      return indicatesMore(pagination.more, answer) ? readText(items.at(-1), pagination.id) : null
    case 'next_url':
      return parametersOf(readText(answer, pagination.next), page.url, pagination.parameters)
    case 'link_header':
      return parametersOf(nextLink(page), page.url, pagination.parameters)
    case 'page':
      return nextPage(pagination, page)
    case 'offset': {
      const first = pagination.first ?? 0
      const next = count(page.cursor, first) + items.length
      return hasMore(pagination, page) && !isComplete(pagination, page, next - first) ? String(next) : null
    }
  }
}

const nextPage = (pagination: Extract<ToolPagination, { type: 'page' }>, page: Page): string | null => {
  const next = count(page.cursor, pagination.first) + 1
  const all = pagination.pages === undefined ? undefined : readPointer(page.answer, pagination.pages)
  const isLast = typeof all === 'number' && next >= pagination.first + all
  return hasMore(pagination, page) && !isLast ? String(next) : null
}

const indicatesMore = (more: string | undefined, answer: unknown): boolean =>
  more === undefined || isAffirmed(answer, more)

const count = (cursor: unknown, first: number): number => (cursor === undefined ? first : Number(cursor))

const hasMore = ({ more, last }: { more?: string; last?: string }, { answer, items }: Page): boolean =>
  items.length > 0 &&
  indicatesMore(more, answer) &&
  (last === undefined || readPointer(answer, last) !== true)

/** Without a pattern the whole text. Null if it does not match. */
const matchedPart = (text: string | null, pattern: string | undefined): string | null => {
  if (text === null || pattern === undefined) return text
  const match = new RegExp(`^(?:${pattern})$`, 'u').exec(text)
  return match && (match.groups?.value ?? match[0])
}

/**
 * Compares with the total number of items, or checks whether the page was not full. A vendor that marks the last page
 * may send a short page before it.
 */
const isComplete = (
  { total, size, more, last }: Extract<ToolPagination, { type: 'offset' }>,
  { answer, items, url }: Page,
  seen: number,
): boolean => {
  const all = total === undefined ? undefined : readPointer(answer, total)
  if (typeof all === 'number') return seen >= all
  if (more !== undefined || last !== undefined) return false
  const pageSize = size === undefined ? null : new URL(url).searchParams.get(size)
  return pageSize !== null && items.length < Number(pageSize)
}

/** The URL may name another host of the vendor: it is not requested, only these parameters of it are used. */
const parametersOf = (next: string | null, requestUrl: string, names: string[]): string | null => {
  const address = next !== null && URL.canParse(next, requestUrl) ? new URL(next, requestUrl) : null
  const carried = names.flatMap(name => {
    const value = address?.searchParams.get(name)
    return value == null ? [] : [[name, value] as [string, string]]
  })
  if (carried.length === 0) return null
  return Buffer.from(new URLSearchParams(carried).toString(), 'utf8').toString('base64url')
}

const LINK = /<([^<>]*)>([^<]*)/g

/** The target of `rel="next"` (RFC 8288). Sentry marks an empty next page with `results="false"`. */
const nextLink = ({ headers }: Page): string | null => {
  for (const [, target = '', attributes = ''] of (headers.link ?? '').matchAll(LINK)) {
    if (!/;\s*rel="?(?:[^"]*\s)?next(?:\s[^"]*)?(?:"|;|,|$)/i.test(attributes)) continue
    return /;\s*results="?false/i.test(attributes) ? null : target
  }
  return null
}

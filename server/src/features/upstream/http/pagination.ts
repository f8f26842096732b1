import type { ConnectorTool, ToolPagination } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { isAffirmed, readPointer, readText } from '../json-pointer.ts'
import { namesIn } from './template.ts'

const MAX_CURSOR = 8000

const CURSOR_SCHEMA = {
  type: 'string',
  minLength: 1,
  maxLength: MAX_CURSOR,
  description:
    'The next_cursor of an earlier answer, to get the page that follows it. Leave the other arguments as they were.',
}

const published = new WeakMap<ConnectorTool, Record<string, unknown>>()

/** A tool's input schema as models see it: a paged tool takes a `cursor` that its file does not mention. */
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

/** What a cursor puts into the request: into its templates where they name `{cursor}`, else into the query. */
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
  if (typeof cursor !== 'string' || cursor === '' || cursor.length > MAX_CURSOR) throw notACursor()
  if (pagination.type === 'next_url')
    return { values: {}, query: readParameters(cursor, pagination.parameters) }
  const counted = pagination.type === 'page' || pagination.type === 'offset'
  if (counted && !/^\d{1,9}$/.test(cursor)) throw notACursor()
  return isNamed
    ? { values: { cursor: counted ? Number(cursor) : cursor }, query: {} }
    : { values: {}, query: { [pagination.parameter]: cursor } }
}

/** The position of the first page, where pages are counted. */
const firstOf = (pagination: ToolPagination): number | null => {
  if (pagination.type === 'page') return pagination.first
  return pagination.type === 'offset' ? (pagination.first ?? 0) : null
}

const notACursor = (): Refusal =>
  new Refusal('invalid_arguments', {
    param: 'cursor',
    message: '"cursor" is not the next_cursor of an earlier answer.',
  })

/** Of a cursor that holds parameters, those that the connector's file names: a forged one can name no others. */
const readParameters = (cursor: string, allowed: string[]): Record<string, string> => {
  const given = new URLSearchParams(Buffer.from(cursor, 'base64url').toString('utf8'))
  const read = allowed.flatMap(name => {
    const value = given.get(name)
    return value === null ? [] : [[name, value] as const]
  })
  if (read.length === 0) throw notACursor()
  return Object.fromEntries(read)
}

export type Page = {
  /** The address that was asked, as it was sent. */
  url: string
  cursor: unknown
  answer: unknown
  items: unknown[]
  headers: Record<string, string>
}

/** Null where this was the last page. A cursor never holds an address: the next request is built by the same file. */
export const nextCursor = (pagination: ToolPagination, page: Page): string | null => {
  const next = findNext(pagination, page)
  return next === null || next === page.cursor || next.length > MAX_CURSOR ? null : next
}

const findNext = (pagination: ToolPagination, page: Page): string | null => {
  const { answer, items } = page
  switch (pagination.type) {
    case 'cursor':
      return saysMore(pagination.more, answer) ? readText(answer, pagination.next) : null
    case 'last_item':
      return saysMore(pagination.more, answer) ? readText(items.at(-1), pagination.id) : null
    case 'next_url':
      return parametersOf(readText(answer, pagination.next), page.url, pagination.parameters)
    case 'link_header':
      return linkParameter(page, pagination.parameter)
    case 'page':
      return hasMore(pagination, page) ? String(count(page.cursor, pagination.first) + 1) : null
    case 'offset': {
      const first = pagination.first ?? 0
      const next = count(page.cursor, first) + items.length
      return hasMore(pagination, page) && !isWhole(pagination, page, next - first) ? String(next) : null
    }
  }
}

const saysMore = (more: string | undefined, answer: unknown): boolean =>
  more === undefined || isAffirmed(answer, more)

const count = (cursor: unknown, first: number): number => (cursor === undefined ? first : Number(cursor))

const hasMore = ({ more, last }: { more?: string; last?: string }, { answer, items }: Page): boolean =>
  items.length > 0 && saysMore(more, answer) && (last === undefined || readPointer(answer, last) !== true)

/** By the number of items in all, or by a page that was not full. */
const isWhole = (
  { total, size }: Extract<ToolPagination, { type: 'offset' }>,
  { answer, items, url }: Page,
  seen: number,
): boolean => {
  const all = total === undefined ? undefined : readPointer(answer, total)
  if (typeof all === 'number') return seen >= all
  const asked = size === undefined ? null : new URL(url).searchParams.get(size)
  return asked !== null && items.length < Number(asked)
}

const parametersOf = (next: string | null, asked: string, names: string[]): string | null => {
  const address = sameOrigin(next, asked)
  const carried = names.flatMap(name => {
    const value = address?.searchParams.get(name)
    return value == null ? [] : [[name, value] as [string, string]]
  })
  if (carried.length === 0) return null
  return Buffer.from(new URLSearchParams(carried).toString(), 'utf8').toString('base64url')
}

/** Another origin's address is none of ours, whatever the third party says. */
const sameOrigin = (next: string | null, asked: string): URL | null => {
  if (next === null || !URL.canParse(next, asked)) return null
  const address = new URL(next, asked)
  return address.origin === new URL(asked).origin ? address : null
}

const LINK = /<([^<>]*)>([^<]*)/g

/** RFC 8288. `results="false"` is Sentry's way to say that the next page is empty. */
const linkParameter = ({ headers, url }: Page, parameter: string): string | null => {
  for (const [, target = '', attributes = ''] of (headers.link ?? '').matchAll(LINK)) {
    if (!/;\s*rel="?(?:[^"]*\s)?next(?:\s[^"]*)?(?:"|;|,|$)/i.test(attributes)) continue
    if (/;\s*results="?false/i.test(attributes)) return null
    return sameOrigin(target, url)?.searchParams.get(parameter) ?? null
  }
  return null
}

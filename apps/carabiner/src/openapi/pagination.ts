import type { ToolPagination } from '@carabiner/contract'
import { isObject } from '@carabiner/server/connector-files'
import type { Arguments } from './arguments.ts'
import { type Part, partsOf, type Resolve } from './document.ts'

type CursorPagination = Extract<ToolPagination, { type: 'cursor' }>

const CURSOR_PARAMETER = /^(?:page_?token|next_?token|(?:page|next|start)?_?cursor|continuation_?token)$/i
const NEXT_CURSOR = /^next_?(?:page_?)?(?:token|cursor)$/i
const MORE = /^has_?(?:more|next)(?:_?page)?$/i

/** Cursor pagination whose parameter and response field are named as usual. The parameter is no longer an argument. */
export const takePagination = (
  args: Arguments,
  operation: Part,
  resolve: Resolve,
): CursorPagination | null => {
  const parameter = Object.keys(args.query).find(name => CURSOR_PARAMETER.test(name))
  const found = parameter === undefined ? null : findNext(responseOf(operation, resolve), resolve)
  const argument =
    parameter === undefined ? undefined : /^\{(\w+)\}$/.exec(String(args.query[parameter]))?.[1]
  if (parameter === undefined || argument === undefined || !found || args.required.includes(argument))
    return null
  delete args.query[parameter]
  delete args.properties[argument]
  return { type: 'cursor', parameter, ...found }
}

const responseOf = (operation: Part, resolve: Resolve): Part => {
  const [, response] = partsOf(operation.responses).find(([status]) => /^2(?:00|XX)$/i.test(status)) ?? []
  if (!isObject(response)) return {}
  const [, media] = partsOf(resolve(response).content).find(([type]) => /json/i.test(type)) ?? []
  return isObject(media) && isObject(media.schema) ? resolve(media.schema) : {}
}

type Found = Pick<CursorPagination, 'next' | 'more'>

/** At the top of the response, or in one of its objects, such as `meta`. */
const findNext = (schema: Part, resolve: Resolve): Found | null => {
  const members = partsOf(schema.properties)
  const own = nextIn(members, '')
  if (own) return own
  for (const [name, member] of members) {
    if (!isObject(member)) continue
    const inner = nextIn(partsOf(resolve(member).properties), `/${name}`)
    if (inner) return inner
  }
  return null
}

const nextIn = (members: [string, unknown][], at: string): Found | null => {
  const next = members.find(([name]) => NEXT_CURSOR.test(name))?.[0]
  const more = members.find(([name]) => MORE.test(name))?.[0]
  if (next === undefined) return null
  return { next: `${at}/${next}`, ...(more !== undefined && { more: `${at}/${more}` }) }
}

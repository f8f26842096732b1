import { Refusal } from '../../core/refusal.ts'
import type { PreparedTool } from './prepare-tools.ts'

export type ApiRequest = { method: PreparedTool['method']; url: string; payload?: Record<string, unknown> }

/** IDs and slugs only. A value such as `..` would address another route. */
const PATH_VALUE = /^[A-Za-z0-9][\w-]{0,127}$/

/** The API request of a tool call. The route validates it like any other request. */
export const buildRequest = (tool: PreparedTool, args: Record<string, unknown>): ApiRequest => {
  const unknown = Object.keys(args).find(name => !tool.targets.has(name))
  if (unknown !== undefined)
    throw new Refusal('unknown_field', {
      param: unknown.slice(0, 100),
      message: `${tool.name} has no argument "${unknown.slice(0, 100)}". Its arguments: ${[...tool.targets.keys()].join(', ') || 'none'}.`,
    })
  const query = new URLSearchParams()
  const body: Record<string, unknown> = {}
  let { url } = tool
  for (const [name, { place, field }] of tool.targets) {
    const value = args[name]
    if (place === 'params') url = url.replace(`:${field}`, pathValue(name, value))
    else if (value === undefined) continue
    else if (place === 'query') query.append(field, queryValue(name, value))
    else body[field] = value
  }
  return {
    method: tool.method,
    url: query.size > 0 ? `${url}?${query.toString()}` : url,
    ...(tool.method !== 'GET' && { payload: body }),
  }
}

const pathValue = (name: string, value: unknown): string => {
  if (typeof value === 'string' && PATH_VALUE.test(value)) return value
  throw new Refusal('invalid_request', {
    param: name,
    message:
      value === undefined
        ? `"${name}" is required.`
        : `"${name}" must be an ID: letters, digits and hyphens.`,
  })
}

/** Models write numbers and booleans where a URL contains text. */
const queryValue = (name: string, value: unknown): string => {
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean')
    return String(value)
  throw new Refusal('invalid_request', { param: name, message: `"${name}" must be a string.` })
}

import { isObject, type JsonObject } from '../../../core/json/object.ts'

/** 2026-07-28, "Custom headers from tool parameters": an argument that the server requires in a header as well. */
export type HeaderParameter = { path: string[]; header: string }

const KEY = 'x-mcp-header'
const TOKEN = /^[\w!#$%&'*+.^`|~-]+$/
const HEADER_TYPES = ['string', 'integer', 'boolean']

/** The parameters that a schema marks, or the problem with a mark: a tool with an invalid mark must not be offered. */
export const headerParameters = (schema: JsonObject): HeaderParameter[] | { problem: string } => {
  const found: HeaderParameter[] = []
  let marks = 0
  const collect = (node: unknown, path: string[]): void => {
    if (!isObject(node)) return
    const mark = node[KEY]
    if (
      path.length > 0 &&
      typeof mark === 'string' &&
      TOKEN.test(mark) &&
      HEADER_TYPES.includes(String(node.type))
    )
      found.push({ path, header: mark })
    if (!isObject(node.properties)) return
    for (const [name, property] of Object.entries(node.properties)) collect(property, [...path, name])
  }
  const count = (node: unknown): void => {
    if (node === null || typeof node !== 'object') return
    if (isObject(node) && Object.hasOwn(node, KEY)) marks++
    for (const part of Object.values(node)) count(part)
  }
  collect(schema, [])
  count(schema)
  const names = new Set(found.map(({ header }) => header.toLowerCase()))
  // Marks are allowed only on the path through `properties`; a mark anywhere else makes the tool invalid.
  return marks === found.length && names.size === found.length
    ? found
    : { problem: `its schema marks a parameter with ${KEY} in an invalid way` }
}

/** The headers of one call. An argument that is missing or of the wrong type is sent in the body only. */
export const parameterHeaders = (schema: JsonObject, args: JsonObject): Record<string, string> => {
  const parameters = headerParameters(schema)
  if (!Array.isArray(parameters)) return {}
  return Object.fromEntries(
    parameters.flatMap(({ path, header }) => {
      const text = headerText(valueAt(args, path))
      return text === null ? [] : [[`mcp-param-${header.toLowerCase()}`, encodeHeaderValue(text)]]
    }),
  )
}

const valueAt = (args: JsonObject, path: string[]): unknown =>
  path.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), args)

const headerText = (value: unknown): string | null => {
  if (typeof value === 'string') return value
  return typeof value === 'boolean' || Number.isSafeInteger(value) ? String(value) : null
}

/** "Value encoding": a value that is not a valid header value is sent as marked Base64. */
export const encodeHeaderValue = (text: string): string => {
  const plain = /^[\x21-\x7E](?:[\t\x20-\x7E]*[\x21-\x7E])?$/.test(text) && !/^=\?base64\?.*\?=$/s.test(text)
  return plain ? text : `=?base64?${Buffer.from(text.toWellFormed(), 'utf8').toString('base64')}?=`
}

/** Null if the marked text is not valid Base64. */
export const decodeHeaderValue = (value: string): string | null => {
  const encoded = /^=\?base64\?(.*)\?=$/s.exec(value)?.[1]
  if (encoded === undefined) return value
  const bytes = Buffer.from(encoded, 'base64')
  return bytes.toString('base64') === encoded ? bytes.toString('utf8') : null
}

/** Removes the marks from a schema. Clients call this service, which needs no such headers. */
export const withoutParameterHeaders = (schema: JsonObject): JsonObject => {
  const { 'x-mcp-header': _, properties, ...rest } = schema
  if (!isObject(properties)) return { ...rest, ...(properties !== undefined && { properties }) }
  const kept = Object.entries(properties).map(([name, property]) => [
    name,
    isObject(property) ? withoutParameterHeaders(property) : property,
  ])
  return { ...rest, properties: Object.fromEntries(kept) as JsonObject }
}

import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import {
  fillAddress,
  fillHeaders,
  fillText,
  fillValue,
  tenantValues,
  textOf,
  type Values,
} from '../templates/template.ts'
import { positionOf, requestOfPage } from './pagination.ts'
import { buildBody } from './request-body.ts'

export type ToolArguments = Record<string, unknown>
export type ToolRequest = {
  method: ConnectorTool['request']['method']
  url: string
  headers: Record<string, string>
  body: string | null
}

/**
 * Builds the request of a tool from its arguments. They match the input schema but are untrusted: no argument can
 * leave its path segment, add a parameter or inject a header.
 */
export const buildRequest = (
  { headers }: Pick<ConnectorFile, 'headers'>,
  { request: described, pagination }: ConnectorTool,
  args: ToolArguments,
  tenant: Record<string, string>,
): ToolRequest => {
  const request = requestOfPage(pagination, described, args.cursor)
  const position = positionOf(pagination, request, args.cursor)
  const values = { ...args, ...position.values, ...tenantValues(tenant) }
  const { contentType, body } = buildBody(request, values)
  return {
    method: request.method,
    url: buildUrl(request, values, tenant, position.query),
    headers: {
      accept: 'application/json',
      ...fillHeaders(headers, values),
      ...(contentType !== null && { 'content-type': contentType }),
      ...fillHeaders(request.headers, values),
    },
    body,
  }
}

type RequestTemplate = ConnectorTool['request']

const buildUrl = (
  { url, query = {}, path_encoding: encodings = {} }: RequestTemplate,
  values: Values,
  tenant: Record<string, string>,
  position: Record<string, string>,
): string => {
  const filled = fillText(fillAddress(url, tenant), values, (text, name) =>
    encodePathValue(text, name, encodings[name]),
  )
  if (filled === null) throw new Refusal('invalid_arguments')
  const named = Object.entries({ ...query, ...position }).flatMap(([name, template]) =>
    Object.hasOwn(position, name)
      ? [[name, template] as const]
      : queryPairs(name, fillValue(template, values)),
  )
  const address = new URL(filled)
  address.search = named.map(([name, value]) => `${encodeName(name)}=${encodeText(value)}`).join('&')
  return address.href
}

const queryPairs = (name: string, value: unknown): (readonly [string, unknown])[] =>
  [value].flat().flatMap(one => (one === undefined || one === null ? [] : [[name, one] as const]))

/** Spaces become %20, because not every provider decodes a plus sign. */
const encodeText = (value: unknown): string => encodeURIComponent(textOf(value).toWellFormed())
/** OData parameter names begin with a dollar sign, which some servers do not decode. */
const encodeName = (name: string): string => encodeText(name).replaceAll('%24', '$')

type PathEncoding = NonNullable<RequestTemplate['path_encoding']>[string]

const encodePathValue = (text: string, name: string, encoding: PathEncoding | undefined): string => {
  if (encoding === 'segments')
    return text
      .split('/')
      .map(segment => encodeSegment(segment, name))
      .join('/')
  const encoded = encodeSegment(text, name)
  return encoding === 'slash_twice' && text.includes('/') ? encodeText(encoded) : encoded
}

/** An argument is a path segment or part of one, so it must not contain a slash, be a dot segment or be empty. */
const encodeSegment = (text: string, name: string): string => {
  if (text === '' || text === '.' || text === '..')
    throw new Refusal('invalid_arguments', { param: name, message: `"${name}" cannot be "${text}".` })
  return encodeText(text)
}

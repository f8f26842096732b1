import type { ConnectorFile, ConnectorTool } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { fillAddress, fillHeaders, tenantValues, textOf } from '../templates/template.ts'
import { findHeaderProblem } from './request-headers.ts'
import { matchesPattern, readRequestPath } from './request-path.ts'
import type { ToolArguments, ToolRequest } from './tool-request.ts'

export type RequestMethod = ConnectorTool['request']['method']
/** What a pack allows: methods, and patterns of paths below the connector's API address. */
export type RequestRules = { methods: RequestMethod[]; paths: string[] }

/** The name of the tool. A connector with a tool of this name has no raw requests. */
export const RAW_REQUEST = 'request'

const WITH_BODY: readonly string[] = ['POST', 'PUT', 'PATCH']

/** Null for MCP servers, and for a connector with a tool of the same name. */
export const rawRequestAddress = (connector: ConnectorFile): string | null => {
  if (connector.mcp || connector.tools.some(({ name }) => name === RAW_REQUEST)) return null
  const bases = connector.tools.map(({ request }) => baseOf(request.url))
  const count = (base: string): number => bases.filter(other => other === base).length
  const [base = connector.credential_origins[0]] = bases.toSorted((a, b) => count(b) - count(a))
  return base ?? null
}

/** The origin and the path up to the last tenant value: a request must stay in the site that the user has linked. */
const baseOf = (url: string): string => {
  const origin = /^https?:\/\/[^/?#]*/.exec(url)?.[0] ?? ''
  const path = url.slice(origin.length).replace(/[?#].*$/s, '')
  return origin + (/^.*\{tenant\.[^/]*/s.exec(path)?.[0] ?? '')
}

/** `byCode`: the caller is not a model, and may set headers. */
export const rawRequestSchema = (
  { methods, paths }: RequestRules,
  { byCode = false }: { byCode?: boolean | undefined } = {},
): Record<string, unknown> => {
  const value = { type: ['string', 'number', 'boolean'] }
  return {
    type: 'object',
    properties: {
      method: { type: 'string', enum: methods, description: `Default: ${methods[0]}.` },
      path: {
        type: 'string',
        description: `Path of the API, without parameters. Allowed: ${paths.join(', ')} ("*" is one segment, "**" one or more).`,
      },
      query: {
        type: 'object',
        description: 'Query parameters. A list repeats its parameter.',
        additionalProperties: { anyOf: [value, { type: 'array', items: value }] },
      },
      ...(methods.some(method => WITH_BODY.includes(method)) && {
        body: { description: 'The body, which is sent as JSON.' },
      }),
      ...(byCode && { headers: { type: 'object', additionalProperties: { type: 'string' } } }),
    },
    required: ['path'],
    additionalProperties: false,
  }
}

const invalid = (param: string, why: string): Refusal =>
  new Refusal('invalid_arguments', { param, message: `"${param}" ${why}.` })

export const rawRequestMethod = ({ methods }: RequestRules, args: ToolArguments): RequestMethod => {
  const method = (args.method ?? methods[0]) as RequestMethod
  if (!methods.includes(method)) throw invalid('method', `must be ${methods.join(' or ')}`)
  if (args.body !== undefined && !WITH_BODY.includes(method))
    throw invalid('body', `cannot be sent with ${method}`)
  return method
}

/** The normalized path. Throws unless the pack allows it. */
const requireAllowedPath = ({ paths }: RequestRules, args: ToolArguments): string => {
  const path = readRequestPath(String(args.path))
  if ('problem' in path) throw invalid('path', path.problem)
  if (!paths.some(pattern => matchesPattern(pattern, path)))
    throw invalid('path', `is not allowed here. Allowed: ${paths.join(', ')}`)
  return path.text
}

/** Throws unless the pack allows the request. */
export const checkRawRequest = (rules: RequestRules, args: ToolArguments): void => {
  rawRequestMethod(rules, args)
  requireAllowedPath(rules, args)
  readHeaders(args)
}

const readHeaders = ({ headers = {} }: ToolArguments): Record<string, string> =>
  Object.fromEntries(
    Object.entries(headers as Record<string, string>).map(([name, value]) => {
      const problem = findHeaderProblem(name, value)
      if (problem) throw invalid(`headers.${name.slice(0, 100)}`, problem)
      return [name.toLowerCase(), value]
    }),
  )

/** Builds the request. Only method, path, query, body and a few headers come from the caller; each is checked again here. */
export const buildRawRequest = (
  connector: ConnectorFile,
  rules: RequestRules,
  args: ToolArguments,
  tenant: Record<string, string>,
): ToolRequest => {
  const method = rawRequestMethod(rules, args)
  const address = rawRequestAddress(connector)
  if (address === null) throw new Error(`${connector.slug} has no raw requests`)
  const base = new URL(fillAddress(address, tenant))
  const expected = base.href.replace(/\/$/, '') + requireAllowedPath(rules, args)
  const url = new URL(expected)
  // A URL parser that changes the path would invalidate the comparison with the patterns.
  if (url.href !== expected || url.origin !== base.origin) throw invalid('path', 'is not a normalized path')
  url.search = queryText(args.query)
  return {
    method,
    url: url.href,
    headers: {
      accept: 'application/json',
      ...fillHeaders(connector.headers, tenantValues(tenant)),
      ...(args.body !== undefined && { 'content-type': 'application/json' }),
      ...readHeaders(args),
    },
    body: args.body === undefined ? null : JSON.stringify(args.body),
  }
}

const queryText = (query: unknown): string =>
  Object.entries((query ?? {}) as Record<string, unknown>)
    .flatMap(([name, value]) => [value].flat().map(one => [name, textOf(one)] as const))
    .map(pair => pair.map(text => encodeURIComponent(text.toWellFormed())).join('='))
    .join('&')

/**
 * The tools that make the same request, whatever its parameters, and whether it only reads. Some providers ignore the case of a path, so it
 * is ignored here too.
 */
export const toolsOfRequest = (
  connector: ConnectorFile,
  rules: RequestRules,
  args: ToolArguments,
): { isRead: boolean; tools: ConnectorTool[] } => {
  const method = args.method ?? rules.methods[0]
  const isRead = method === 'GET' || method === 'HEAD'
  const address = rawRequestAddress(connector)
  const path = readRequestPath(String(args.path))
  if (address === null || 'problem' in path) return { isRead, tools: [] }
  const tools = connector.tools.filter(
    ({ request: { method: own, url } }) =>
      own === method && url.startsWith(address) && hasSegments(url.slice(address.length), path.segments),
  )
  return { isRead: isRead && tools.every(tool => tool.read_only), tools }
}

/** Compares a path with that of a URL template. A segment with a parameter matches any segment. */
const hasSegments = (template: string, segments: readonly string[]): boolean => {
  const expected = template
    .replace(/[?#].*$/s, '')
    .split('/')
    .filter(Boolean)
  return (
    expected.length === segments.length &&
    expected.every(
      (segment, at) => segment.includes('{') || segment.toLowerCase() === segments[at]?.toLowerCase(),
    )
  )
}

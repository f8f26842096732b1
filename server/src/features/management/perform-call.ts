import type { FastifyInstance, FastifyRequest } from 'fastify'
import { hidePath } from '../../core/addresses/hide-path.ts'
import { isObject } from '../../core/json/object.ts'
import { errorObject, toRefusal } from '../../edge/errors.ts'
import { MODE_HEADER, ORGANIZATION_HEADER, PERSON_HEADER } from '../../edge/principal.ts'
import { errorResult, type ToolResult } from '../tools/results/tool-result.ts'
import { type ApiRequest, buildRequest } from './build-request.ts'
import type { PreparedTool } from './prepare-tools.ts'

type Caller = { http: FastifyRequest; inject: FastifyInstance['inject']; baseUrl: string }

/** Makes the API request in this process, through all of its hooks, as the caller. */
export const performCall = async (
  { http, inject, baseUrl }: Caller,
  tool: PreparedTool,
  args: Record<string, unknown>,
): Promise<ToolResult> => {
  let request: ApiRequest
  try {
    request = buildRequest(tool, args)
  } catch (error) {
    return errorResult({ error: { ...errorObject(toRefusal(error), http.id, baseUrl) } })
  }
  const response = await inject({ ...request, headers: callerHeaders(http), remoteAddress: http.ip })
  if (response.statusCode === 204) return textResult({ done: true })
  const body: unknown = response.json()
  if (response.statusCode >= 400 || !isObject(body))
    return errorResult(body as { error: Record<string, unknown> })
  const hidden = tool.hiddenFields ?? []
  const shown = Object.fromEntries(Object.entries(body).filter(([field]) => !hidden.includes(field)))
  return textResult(tool.shortenedUrl === undefined ? shown : shortenUrls(shown, tool.shortenedUrl))
}

const shortenUrls = (body: Record<string, unknown>, path: string): Record<string, unknown> => ({
  ...body,
  data: (body.data as unknown[]).map(item => shortenAt(item, path.split('.'))),
})

/** An object on the path may be missing. */
const shortenAt = (value: unknown, [field, ...path]: string[]): unknown => {
  if (field === undefined) return hidePath(value as string)
  return isObject(value) ? { ...value, [field]: shortenAt(value[field], path) } : value
}

const textResult = (value: Record<string, unknown>): ToolResult => ({
  content: [{ type: 'text', text: JSON.stringify(value) }],
  structuredContent: value,
  isError: false,
})

const FORWARDED = [
  'authorization',
  'cookie',
  'origin',
  'sec-fetch-site',
  ORGANIZATION_HEADER,
  MODE_HEADER,
  PERSON_HEADER,
]

/** The audit trail records the user agent, which therefore names this endpoint. */
const callerHeaders = ({ headers }: FastifyRequest): Record<string, string> => ({
  ...Object.fromEntries(
    FORWARDED.flatMap(name => (typeof headers[name] === 'string' ? [[name, headers[name]]] : [])),
  ),
  'user-agent': `carabiner-management-mcp ${headers['user-agent'] ?? ''}`.trim(),
})

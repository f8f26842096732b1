import type { RouteOptions } from 'fastify'
import { MANAGEMENT_TOOLS, type ManagementTool } from './tool-table.ts'

type Schema = { properties?: Record<string, unknown>; required?: readonly string[] }
type Place = 'params' | 'querystring' | 'body'

/** Location of an argument in the API request. */
export type ArgumentTarget = { place: Place; field: string }

/** A management tool with its route. */
export type PreparedTool = ManagementTool & {
  method: 'GET' | 'POST' | 'PATCH'
  /** Under the prefix of the API, such as `/tool-packs/:id`. */
  url: string
  targets: ReadonlyMap<string, ArgumentTarget>
  /** As in `tools/list`. */
  listed: {
    name: string
    title: string
    description: string
    inputSchema: Record<string, unknown>
    annotations: { readOnlyHint: boolean; destructiveHint: false; openWorldHint: boolean }
  }
}

const PLACES: readonly Place[] = ['params', 'querystring', 'body']

/** The schemas and descriptions of the tools are those of the API, so both always agree. */
export const prepareTools = (
  routes: readonly RouteOptions[],
  prefix: string,
): ReadonlyMap<string, PreparedTool> => {
  const byOperation = new Map(routes.map(route => [operationOf(route, prefix), route]))
  return new Map(
    MANAGEMENT_TOOLS.map(tool => {
      const route = byOperation.get(tool.operation)
      if (!route) throw new Error(`The management tool ${tool.name} has no route ${tool.operation}.`)
      return [tool.name, prepareTool(tool, route)]
    }),
  )
}

const operationOf = ({ method, url }: RouteOptions, prefix: string): string =>
  `${String(method)} ${url.slice(prefix.length).replace(/:([A-Za-z_]+)/g, '{$1}')}`

const prepareTool = (tool: ManagementTool, { method, url, schema = {} }: RouteOptions): PreparedTool => {
  const targets = new Map<string, ArgumentTarget>()
  const properties: Record<string, unknown> = {}
  const required: string[] = []
  for (const place of PLACES) {
    const part = (schema[place] ?? {}) as Schema
    for (const [field, property] of Object.entries(part.properties ?? {})) {
      if (tool.hiddenArguments?.includes(field)) continue
      const name = (place === 'params' && tool.argumentNames?.[field]) || field
      if (targets.has(name)) throw new Error(`The management tool ${tool.name} has two arguments ${name}.`)
      targets.set(name, { place, field })
      properties[name] = property
      if (place === 'params' || part.required?.includes(field)) required.push(name)
    }
  }
  return {
    ...tool,
    method: method as PreparedTool['method'],
    url,
    targets,
    listed: {
      name: tool.name,
      title: schema.summary ?? tool.name,
      description: schema.description ?? `${schema.summary}.`,
      inputSchema: { type: 'object', properties, required, additionalProperties: false },
      annotations: {
        readOnlyHint: tool.access === 'read',
        destructiveHint: false,
        openWorldHint: tool.name === 'test_connection',
      },
    },
  }
}

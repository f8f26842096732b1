import { type ManagementTool, type Operation, operations } from '@carabiner/contract/operations'
import { withDescriptions } from '@carabiner/contract/property-descriptions'
import { namedSchemas } from '@carabiner/contract/schema-names'
import { routePattern } from '../../edge/serve.ts'

type Schema = { properties?: Record<string, unknown>; required?: readonly string[] }
type Place = 'params' | 'query' | 'body'

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

const PLACES: readonly Place[] = ['params', 'query', 'body']

/** The schemas and descriptions of the tools are those of the API, so both always agree. */
export const prepareTools = (prefix: string): ReadonlyMap<string, PreparedTool> =>
  new Map(
    Object.values<Operation>(operations).flatMap(operation =>
      operation.tool ? [[operation.tool.name, prepareTool(operation.tool, operation, prefix)]] : [],
    ),
  )

const prepareTool = (tool: ManagementTool, operation: Operation, prefix: string): PreparedTool => {
  const targets = new Map<string, ArgumentTarget>()
  const properties: Record<string, unknown> = {}
  const required: string[] = []
  for (const place of PLACES) {
    const part = describe(operation, place)
    for (const [field, property] of Object.entries(part.properties ?? {})) {
      if (tool.hiddenArguments?.includes(field)) continue
      const name = place === 'params' ? argumentName(operation.path, field) : field
      if (targets.has(name)) throw new Error(`The management tool ${tool.name} has two arguments ${name}.`)
      targets.set(name, { place, field })
      properties[name] = property
      if (place === 'params' || part.required?.includes(field)) required.push(name)
    }
  }
  return {
    ...tool,
    method: operation.method as PreparedTool['method'],
    url: `${prefix}${routePattern(operation)}`,
    targets,
    listed: {
      name: tool.name,
      title: operation.summary,
      description: operation.description ?? `${operation.summary}.`,
      inputSchema: { type: 'object', properties, required, additionalProperties: false },
      annotations: {
        readOnlyHint: tool.access === 'read',
        destructiveHint: false,
        openWorldHint: tool.callsProvider ?? false,
      },
    },
  }
}

const names = namedSchemas()

const describe = (operation: Operation, place: Place): Schema => {
  const schema = operation[place] ?? {}
  const name = place === 'body' ? names.get(JSON.stringify(schema)) : undefined
  return withDescriptions(name ?? operation.name, schema)
}

/** The parameter `id` gets the name of its resource, since a tool has no path: `registered_user_id` of `/registered-users/{id}`. */
const argumentName = (path: string, parameter: string): string => {
  const [, collection] = parameter === 'id' ? (/([a-z-]+)s\/\{id\}/.exec(path) ?? []) : []
  return collection ? `${collection.replaceAll('-', '_')}_id` : parameter
}

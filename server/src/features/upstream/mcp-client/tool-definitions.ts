import { createHash } from 'node:crypto'
import { canonicalJson } from '../../../core/json/canonical-json.ts'
import { isObject, type JsonObject } from '../../../core/json/object.ts'
import { isDeeperThan } from '../json.ts'
import {
  type SchemaBudget,
  SchemaError,
  type SchemaNotes,
  validateSchema,
} from '../json-schema/parse-schema.ts'
import { cleanLine, cleanText, hasInvisible, invisibleIn } from '../text.ts'
import { findInjectionSigns } from './injection-signs.ts'
import { headerParameters } from './parameter-headers.ts'
import { exposeNames, maxToolNameLength } from './tool-names.ts'

/** A vetted tool of a server, under a name that every model API accepts. */
export type McpTool = {
  name: string
  /** The tool's name at the server. */
  upstreamName: string
  title: string
  description: string
  inputSchema: JsonObject
  annotations: { [hint in (typeof HINTS)[number]]?: boolean }
  /** Digest of the invisible characters that were removed. They are part of the definition that a person accepts. */
  hidden?: string
}
export type VettedTools = { tools: McpTool[]; problems: string[] }

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const
const MAX_UPSTREAM_NAME_LENGTH = 128
const MAX_TITLE_LENGTH = 100
const MAX_DESCRIPTION_LENGTH = 4000
const MAX_DEFINITION_BYTES = 64 * 1024
const MAX_DEFINITION_DEPTH = 40
const MAX_PROBLEMS = 200
const MAX_SCHEMA_NODES = 50_000

/**
 * Validates the tool definitions of a server. Unusable tools are left out, and remarks on usable ones are returned
 * for the person who accepts them. `outputSchema` is dropped, because results may be redacted.
 */
export const vetTools = (raw: unknown[], maxNameLength: number = maxToolNameLength('')): VettedTools => {
  const problems: string[] = []
  const budget = { nodes: MAX_SCHEMA_NODES }
  const byName = Map.groupBy(raw, tool => (isObject(tool) ? tool.name : undefined))
  const accepted = raw.flatMap((tool, index) => {
    const label = labelOf(tool, index)
    try {
      const { vetted, remarks } = vetTool(tool, budget)
      if (byName.get(vetted.upstreamName)?.length !== 1) throw new SchemaError('its name is not unique')
      problems.push(...remarks.map(remark => `${label} ${remark}.`))
      return [vetted]
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      problems.push(`${label} is left out: ${error.message}.`)
      return []
    }
  })
  const names = exposeNames(
    accepted.map(tool => tool.upstreamName),
    maxNameLength,
  )
  const tools = accepted.map(tool => ({ name: names.get(tool.upstreamName)!, ...tool }))
  return { tools, problems: truncate(problems) }
}

/**
 * The hash that is pinned. It covers everything that models and people see of the tools, and the names that are
 * called.
 */
export const hashTools = (tools: McpTool[]): string =>
  createHash('sha256')
    .update(
      canonicalJson(
        tools
          .map(({ name, upstreamName, title, description, inputSchema, annotations, hidden }) => ({
            name,
            upstreamName,
            title,
            description,
            inputSchema,
            annotations,
            ...(hidden !== undefined && { hidden }),
          }))
          .toSorted((a, b) => (a.name < b.name ? -1 : 1)),
      ),
    )
    .digest('hex')

const labelOf = (tool: unknown, index: number): string =>
  isObject(tool) && typeof tool.name === 'string' && tool.name !== ''
    ? `"${cleanLine(tool.name, 64)}"`
    : `Tool ${index + 1}`

const truncate = (problems: string[]): string[] =>
  problems.length <= MAX_PROBLEMS
    ? problems
    : [...problems.slice(0, MAX_PROBLEMS), `And ${problems.length - MAX_PROBLEMS} more.`]

const vetTool = (
  tool: unknown,
  budget: SchemaBudget,
): { vetted: Omit<McpTool, 'name'>; remarks: string[] } => {
  if (!isObject(tool)) throw new SchemaError('it is not an object')
  if (isDeeperThan(tool, MAX_DEFINITION_DEPTH)) throw new SchemaError('its definition is nested too deeply')
  if (Buffer.byteLength(JSON.stringify(tool)) > MAX_DEFINITION_BYTES)
    throw new SchemaError('its definition is larger than 64 KB')
  // A task is polled over several requests, which is not supported here.
  if (isObject(tool.execution) && tool.execution.taskSupport === 'required')
    throw new SchemaError('it can only be called as a task, which is not supported')
  const upstreamName = vetName(tool.name)
  const given = isObject(tool.annotations) ? tool.annotations : {}
  const titles = [tool.title, given.title].filter(title => typeof title === 'string')
  const description = typeof tool.description === 'string' ? tool.description : ''
  const { inputSchema, notes } = vetSchema(tool.inputSchema, budget)
  const invisible = strings(tool).map(invisibleIn).join('')
  const vetted = {
    upstreamName,
    title: cleanLine(titles[0] ?? '', MAX_TITLE_LENGTH) || upstreamName,
    description: cleanText(description, MAX_DESCRIPTION_LENGTH),
    inputSchema,
    annotations: Object.fromEntries(
      HINTS.flatMap(hint => (typeof given[hint] === 'boolean' ? [[hint, given[hint]]] : [])),
    ),
    ...(invisible !== '' && { hidden: createHash('sha256').update(invisible).digest('hex') }),
  }
  const texts = [...titles, description, ...strings(tool.inputSchema)].join('\n')
  const remarks = [
    ...(invisible !== '' ? ['contains invisible characters, which are removed'] : []),
    ...(description.length > MAX_DESCRIPTION_LENGTH
      ? ['has a description that is truncated to 4,000 characters']
      : []),
    ...findInjectionSigns(texts),
    ...[...notes].map(note => `has a schema that ${note}`),
  ]
  return { vetted, remarks }
}

const vetName = (name: unknown): string => {
  if (typeof name !== 'string' || name === '') throw new SchemaError('it has no name')
  if (name.length > MAX_UPSTREAM_NAME_LENGTH) throw new SchemaError('its name is longer than 128 characters')
  if (hasInvisible(name) || /\s/.test(name) || !name.isWellFormed())
    throw new SchemaError('its name contains spaces or invisible characters')
  return name
}

const vetSchema = (
  schema: unknown,
  budget: SchemaBudget,
): { inputSchema: JsonObject; notes: SchemaNotes } => {
  if (!isObject(schema) || schema.type !== 'object')
    throw new SchemaError('its inputSchema must have the type "object"')
  const clean = cleanSchema(schema) as JsonObject
  if (strings(clean).some(text => hasInvisible(text) || !text.isWellFormed()))
    throw new SchemaError('its inputSchema has names or values with invisible characters')
  const headers = headerParameters(clean)
  if ('problem' in headers) throw new SchemaError(headers.problem)
  try {
    return { inputSchema: clean, notes: validateSchema(clean, budget) }
  } catch (error) {
    if (error instanceof SchemaError)
      throw new SchemaError(`its inputSchema cannot be used: ${error.message}`)
    throw error
  }
}

/** Texts for the model are cleaned. Names and values are sent back to the server, so they are not changed. */
const cleanSchema = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(cleanSchema)
  if (!isObject(node)) return node
  return Object.fromEntries(
    Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
      if (key === '$comment' && typeof value === 'string') return []
      const isWords = (key === 'description' || key === 'title') && typeof value === 'string'
      return [[key, isWords ? cleanText(value, MAX_DESCRIPTION_LENGTH) : cleanSchema(value)]]
    }),
  )
}

const strings = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, part]) => [key, ...strings(part)])
}

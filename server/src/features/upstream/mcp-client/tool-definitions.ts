import { createHash } from 'node:crypto'
import { canonicalJson, isDeeperThan, isObject, type JsonObject } from '../json.ts'
import { type Effort, judgeSchema, SchemaError, type SchemaNotes } from '../json-schema/parse-schema.ts'
import { cleanLine, cleanText, hasUnseen, unseenIn } from '../text.ts'
import { headerParameters } from './parameter-headers.ts'
import { findPoison } from './poisoned-text.ts'
import { exposeNames, roomForTool } from './tool-names.ts'

/** A tool of a server as it is offered: vetted, under a name that every model API takes. */
export type McpTool = {
  name: string
  /** What the server calls it. */
  upstreamName: string
  title: string
  description: string
  inputSchema: JsonObject
  annotations: { [hint in (typeof HINTS)[number]]?: boolean }
  /** Digest of the invisible characters that were removed. They are part of what a person accepts. */
  hidden?: string
}
export type VettedTools = { tools: McpTool[]; problems: string[] }

const HINTS = ['readOnlyHint', 'destructiveHint', 'idempotentHint', 'openWorldHint'] as const
const LONGEST_UPSTREAM_NAME = 128
const LONGEST_TITLE = 100
const LONGEST_DESCRIPTION = 4000
const LARGEST_DEFINITION = 64 * 1024
const DEEPEST_DEFINITION = 40
const MOST_PROBLEMS = 200
const MOST_SCHEMA_NODES = 50_000

/**
 * Judges what a server says of its tools. A tool that cannot be offered is left out; what is odd about one that can be is said,
 * for whoever accepts it. `outputSchema` is not taken over: a result may be redacted here.
 */
export const vetTools = (raw: unknown[], room: number = roomForTool('')): VettedTools => {
  const problems: string[] = []
  const effort = { nodes: MOST_SCHEMA_NODES }
  const times = Map.groupBy(raw, tool => (isObject(tool) ? tool.name : undefined))
  const vetted = raw.flatMap((tool, index) => {
    const label = labelOf(tool, index)
    try {
      const { made, remarks } = vetTool(tool, effort)
      if (times.get(made.upstreamName)?.length !== 1)
        throw new SchemaError('there is more than one of that name, and it cannot be told which is meant')
      problems.push(...remarks.map(remark => `${label} ${remark}.`))
      return [made]
    } catch (error) {
      if (!(error instanceof SchemaError)) throw error
      problems.push(`${label} is left out: ${error.message}.`)
      return []
    }
  })
  const names = exposeNames(
    vetted.map(tool => tool.upstreamName),
    room,
  )
  const tools = vetted.map(tool => ({ name: names.get(tool.upstreamName)!, ...tool }))
  return { tools, problems: cut(problems) }
}

/** What is pinned: everything that a model or a person is told of the tools, and what is called. */
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

const cut = (problems: string[]): string[] =>
  problems.length <= MOST_PROBLEMS
    ? problems
    : [...problems.slice(0, MOST_PROBLEMS), `And ${problems.length - MOST_PROBLEMS} more like these.`]

const vetTool = (tool: unknown, effort: Effort): { made: Omit<McpTool, 'name'>; remarks: string[] } => {
  if (!isObject(tool)) throw new SchemaError('it is not an object')
  if (isDeeperThan(tool, DEEPEST_DEFINITION)) throw new SchemaError('its definition is nested too deeply')
  if (Buffer.byteLength(JSON.stringify(tool)) > LARGEST_DEFINITION)
    throw new SchemaError('its definition is larger than 64 KB')
  // A task is polled over many requests, which neither this service nor its callers do.
  if (isObject(tool.execution) && tool.execution.taskSupport === 'required')
    throw new SchemaError('it can only be called as a task, which is not supported')
  const upstreamName = vetName(tool.name)
  const given = isObject(tool.annotations) ? tool.annotations : {}
  const titles = [tool.title, given.title].filter(title => typeof title === 'string')
  const description = typeof tool.description === 'string' ? tool.description : ''
  const { inputSchema, notes } = vetSchema(tool.inputSchema, effort)
  const unseen = strings(tool).map(unseenIn).join('')
  const made = {
    upstreamName,
    title: cleanLine(titles[0] ?? '', LONGEST_TITLE) || upstreamName,
    description: cleanText(description, LONGEST_DESCRIPTION),
    inputSchema,
    annotations: Object.fromEntries(
      HINTS.flatMap(hint => (typeof given[hint] === 'boolean' ? [[hint, given[hint]]] : [])),
    ),
    ...(unseen !== '' && { hidden: createHash('sha256').update(unseen).digest('hex') }),
  }
  const told = [...titles, description, ...strings(tool.inputSchema)].join('\n')
  const remarks = [
    ...(unseen !== '' ? ['hides characters that a person does not see; they are taken out'] : []),
    ...(description.length > LONGEST_DESCRIPTION
      ? ['has a description that is cut at 4,000 characters']
      : []),
    ...findPoison(told),
    ...[...notes].map(note => `has a schema that ${note}`),
  ]
  return { made, remarks }
}

const vetName = (name: unknown): string => {
  if (typeof name !== 'string' || name === '') throw new SchemaError('it has no name')
  if (name.length > LONGEST_UPSTREAM_NAME) throw new SchemaError('its name is longer than 128 characters')
  if (hasUnseen(name) || /\s/.test(name) || !name.isWellFormed())
    throw new SchemaError('its name holds spaces or characters that are not seen')
  return name
}

const vetSchema = (schema: unknown, effort: Effort): { inputSchema: JsonObject; notes: SchemaNotes } => {
  if (!isObject(schema) || schema.type !== 'object')
    throw new SchemaError('its inputSchema is not a schema of an object')
  const clean = cleanSchema(schema) as JsonObject
  if (strings(clean).some(text => hasUnseen(text) || !text.isWellFormed()))
    throw new SchemaError('its inputSchema has names or values with characters that are not seen')
  const headers = headerParameters(clean)
  if ('problem' in headers) throw new SchemaError(headers.problem)
  try {
    return { inputSchema: clean, notes: judgeSchema(clean, effort) }
  } catch (error) {
    if (error instanceof SchemaError)
      throw new SchemaError(`its inputSchema cannot be used: ${error.message}`)
    throw error
  }
}

/** Words for the model are cleaned; names and values are what the server wants back, and stay as they are. */
const cleanSchema = (node: unknown): unknown => {
  if (Array.isArray(node)) return node.map(cleanSchema)
  if (!isObject(node)) return node
  return Object.fromEntries(
    Object.entries(node).flatMap(([key, value]): [string, unknown][] => {
      if (key === '$comment' && typeof value === 'string') return []
      const isWords = (key === 'description' || key === 'title') && typeof value === 'string'
      return [[key, isWords ? cleanText(value, LONGEST_DESCRIPTION) : cleanSchema(value)]]
    }),
  )
}

const strings = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  if (value === null || typeof value !== 'object') return []
  return Object.entries(value).flatMap(([key, part]) => [key, ...strings(part)])
}

import { setImmediate } from 'node:timers/promises'
import { type ConnectorToChoose, toolPackBounds } from '@carabiner/contract'
import type { JsonObject } from '../../../core/json/object.ts'
import { nearestName } from '../../../core/nearest-name.ts'
import { Refusal } from '../../../core/refusal.ts'
import { publishedInputSchema } from '../../upstream/http/pagination.ts'
import { requireFields } from '../../upstream/json-view.ts'
import type { Connectors, UsableConnector } from '../availability.ts'
import { type Choices, findChoiceProblem, type Requests, type ToolChoice } from '../catalog/tool-choice.ts'
import { type RequestsToChoose, readRequests } from './read-requests.ts'

type NamedConnector = {
  slug: string
  tools: NamedTool[] | null
  requests: RequestsToChoose | null
  at: string
}
type NamedTool = { name: string; choice: ToolChoice; at: string }

/** Input schemas by tool name; null if the tools are unknown until an account is linked. */
export type KnownTools = Map<string, JsonObject> | null
export type ToolsOfServers = (serverIds: string[]) => Promise<Map<string, KnownTools>>

export type Chosen = { connectors: string[]; choices: Choices; requests: Requests }

type Deps = { connectors: Connectors; toolsOfServers: ToolsOfServers }

/** Validates the choices of a request against the available connectors and tools. Errors name the location. */
export const readChoices = async (
  deps: Deps,
  organizationId: string,
  requested: ConnectorToChoose[],
): Promise<Chosen> => {
  const named = requested.map(nameConnector)
  rejectDuplicates(named.map(({ slug, at }) => ({ name: slug, at })))
  rejectOversize(named)
  const linkable = new Map((await deps.connectors.linkable(organizationId)).map(one => [one.slug, one]))
  for (const { slug, at } of named)
    if (!linkable.has(slug)) await rejectConnector(deps, organizationId, slug, at, [...linkable.keys()])
  const narrowed = named.filter(({ tools }) => tools !== null)
  const known = await knownTools(
    deps,
    narrowed.map(({ slug }) => linkable.get(slug) as UsableConnector),
  )
  const choices: [string, Record<string, ToolChoice>][] = []
  for (const { slug, tools, at } of narrowed)
    choices.push([slug, await validateTools(tools as NamedTool[], known.get(slug) ?? null, at)])
  const requests = named.flatMap(({ slug, requests: wanted, at }) =>
    wanted
      ? [[slug, readRequests(linkable.get(slug) as UsableConnector, wanted, `${at}.requests`)] as const]
      : [],
  )
  return {
    connectors: named.map(({ slug }) => slug),
    choices: Object.fromEntries(choices),
    requests: Object.fromEntries(requests),
  }
}

const nameConnector = (requested: ConnectorToChoose, index: number): NamedConnector => {
  const at = `connectors.${index}`
  if (typeof requested === 'string') return { slug: requested, tools: null, requests: null, at }
  return {
    slug: requested.slug,
    tools: requested.tools?.map((tool, position) => nameTool(tool, `${at}.tools.${position}`)) ?? null,
    requests: requested.requests ?? null,
    at,
  }
}

type ToolToChoose = NonNullable<Exclude<ConnectorToChoose, string>['tools']>[number]

const nameTool = (requested: ToolToChoose, at: string): NamedTool => {
  if (typeof requested === 'string') return { name: requested, choice: {}, at }
  const { name, description, inputs, view } = requested
  const set = inputs && Object.keys(inputs).length > 0 ? (inputs as NonNullable<ToolChoice['inputs']>) : null
  return {
    name,
    choice: { ...(description && { description }), ...(set && { inputs: set }), ...(view && { view }) },
    at,
  }
}

const rejectDuplicates = (named: { name: string; at: string }[]): void => {
  const seen = new Set<string>()
  for (const { name, at } of named) {
    if (seen.has(name))
      throw new Refusal('duplicate_choice', { param: at, message: `Duplicate entry: "${name}".` })
    seen.add(name)
  }
}

const rejectOversize = (named: NamedConnector[]): void => {
  const settings = named.flatMap(({ tools }) => tools?.map(({ choice }) => choice.inputs ?? {}) ?? [])
  const fixed = settings
    .flatMap(inputs => Object.values(inputs))
    .flatMap(setting => ('fixed' in setting ? [setting.fixed] : []))
  const bytes = fixed.reduce<number>((sum, value) => sum + Buffer.byteLength(JSON.stringify(value)), 0)
  if (bytes > toolPackBounds.fixedBytes)
    throw new Refusal('invalid_tool_choice', {
      param: 'connectors',
      message: `The fixed values of a Tool Pack must not exceed ${toolPackBounds.fixedBytes} bytes; these have ${bytes}.`,
    })
}

const rejectConnector = async (
  { connectors }: Deps,
  organizationId: string,
  slug: string,
  at: string,
  known: string[],
): Promise<never> => {
  if (await connectors.find(organizationId, slug)) {
    const refusal: unknown = await connectors.require(organizationId, slug).catch((error: unknown) => error)
    if (!(refusal instanceof Refusal)) throw refusal
    throw new Refusal(refusal.code, { param: at, message: refusal.message })
  }
  const meant = nearestName(slug, known)
  throw new Refusal('unknown_connector', {
    param: at,
    message: `There is no Connector "${slug}"${meant ? `; did you mean "${meant}"?` : '.'}`,
  })
}

const knownTools = async (
  { toolsOfServers }: Deps,
  connectors: UsableConnector[],
): Promise<Map<string, KnownTools>> => {
  const ids = connectors.flatMap(({ serverId }) => serverId ?? [])
  const served = ids.length > 0 ? await toolsOfServers(ids) : new Map<string, KnownTools>()
  return new Map(
    connectors.map(connector => {
      if (connector.serverId) return [connector.slug, served.get(connector.serverId) ?? null]
      return [connector.slug, connector.mcp ? null : shippedTools(connector)]
    }),
  )
}

const shippedTools = ({ tools }: UsableConnector): KnownTools =>
  new Map(tools.map(tool => [tool.name, publishedInputSchema(tool)]))

const validateTools = async (
  requested: NamedTool[],
  known: KnownTools,
  at: string,
): Promise<Record<string, ToolChoice>> => {
  if (!known)
    throw new Refusal('invalid_tool_choice', {
      param: `${at}.tools`,
      message:
        'The tools of this Connector are unknown until an account is linked. Choose all of them ("tools": null).',
    })
  rejectDuplicates(requested)
  for (const tool of requested) {
    validateTool(tool, known)
    // Validating a value compiles a schema, so other requests run in between.
    if (tool.choice.inputs) await setImmediate()
  }
  return Object.fromEntries(requested.map(({ name, choice }) => [name, choice]))
}

const validateTool = ({ name, choice, at }: NamedTool, known: NonNullable<KnownTools>): void => {
  const schema = known.get(name)
  if (!schema) {
    const meant = nearestName(name, [...known.keys()])
    throw new Refusal('unknown_tool', {
      param: at,
      message: `The Connector has no tool "${name}"${meant ? `; did you mean "${meant}"?` : '.'}`,
    })
  }
  requireFields(choice.view ?? [], `${at}.view`)
  const misfit = findChoiceProblem(schema, choice)
  if (misfit)
    throw new Refusal('invalid_tool_choice', { param: `${at}.inputs.${misfit.input}`, message: misfit.why })
}

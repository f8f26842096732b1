import { setImmediate } from 'node:timers/promises'
import { type ConnectorToChoose, toolPackBounds } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import { publishedInputSchema } from '../../upstream/http/pagination.ts'
import type { JsonObject } from '../../upstream/json.ts'
import type { Connectors, UsableConnector } from '../availability.ts'
import { nearestName } from '../catalog/nearest-name.ts'
import { type Choices, findMisfit, type ToolChoice } from '../catalog/tool-choice.ts'

type Named = { slug: string; tools: NamedTool[] | null; at: string }
type NamedTool = { name: string; choice: ToolChoice; at: string }

/** Input schemas by the name of the tool; null where the tools are not known before somebody has linked. */
export type KnownTools = Map<string, JsonObject> | null
export type ToolsOfServers = (serverIds: string[]) => Promise<Map<string, KnownTools>>

export type Chosen = { connectors: string[]; choices: Choices }

type Deps = { connectors: Connectors; toolsOfServers: ToolsOfServers }

/** What a request wants in a pack, judged by what there is to choose from now. Refusals name the place. */
export const readChoices = async (
  deps: Deps,
  organizationId: string,
  wanted: ConnectorToChoose[],
): Promise<Chosen> => {
  const named = wanted.map(nameConnector)
  refuseDuplicates(named.map(({ slug, at }) => ({ name: slug, at })))
  refuseBulk(named)
  const usable = new Map((await deps.connectors.usable(organizationId)).map(one => [one.slug, one]))
  for (const { slug, at } of named)
    if (!usable.has(slug)) await refuseConnector(deps, organizationId, slug, at, [...usable.keys()])
  const narrowed = named.filter(({ tools }) => tools !== null)
  const known = await knownTools(
    deps,
    narrowed.map(({ slug }) => usable.get(slug) as UsableConnector),
  )
  const choices: [string, Record<string, ToolChoice>][] = []
  for (const { slug, tools, at } of narrowed)
    choices.push([slug, await judgeTools(tools as NamedTool[], known.get(slug) ?? null, at)])
  return { connectors: named.map(({ slug }) => slug), choices: Object.fromEntries(choices) }
}

const nameConnector = (wanted: ConnectorToChoose, index: number): Named => {
  const at = `connectors.${index}`
  if (typeof wanted === 'string') return { slug: wanted, tools: null, at }
  return {
    slug: wanted.slug,
    tools: wanted.tools?.map((tool, position) => nameTool(tool, `${at}.tools.${position}`)) ?? null,
    at,
  }
}

type ToolToChoose = NonNullable<Exclude<ConnectorToChoose, string>['tools']>[number]

const nameTool = (wanted: ToolToChoose, at: string): NamedTool => {
  if (typeof wanted === 'string') return { name: wanted, choice: {}, at }
  const { name, description, inputs } = wanted
  const set = inputs && Object.keys(inputs).length > 0 ? (inputs as NonNullable<ToolChoice['inputs']>) : null
  return { name, choice: { ...(description && { description }), ...(set && { inputs: set }) }, at }
}

const refuseDuplicates = (named: { name: string; at: string }[]): void => {
  const seen = new Set<string>()
  for (const { name, at } of named) {
    if (seen.has(name))
      throw new Refusal('duplicate_choice', { param: at, message: `"${name}" is chosen twice. Say it once.` })
    seen.add(name)
  }
}

const refuseBulk = (named: Named[]): void => {
  const settings = named.flatMap(({ tools }) => tools?.map(({ choice }) => choice.inputs ?? {}) ?? [])
  const fixed = settings
    .flatMap(inputs => Object.values(inputs))
    .flatMap(setting => ('fixed' in setting ? [setting.fixed] : []))
  const bytes = fixed.reduce<number>((sum, value) => sum + Buffer.byteLength(JSON.stringify(value)), 0)
  if (bytes > toolPackBounds.fixedBytes)
    throw new Refusal('invalid_tool_choice', {
      param: 'connectors',
      message: `The fixed values of a Tool Pack are at most ${toolPackBounds.fixedBytes} bytes; these are ${bytes}.`,
    })
}

const refuseConnector = async (
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

const judgeTools = async (
  wanted: NamedTool[],
  known: KnownTools,
  at: string,
): Promise<Record<string, ToolChoice>> => {
  if (!known)
    throw new Refusal('invalid_tool_choice', {
      param: `${at}.tools`,
      message:
        'The tools of this Connector are not known before somebody has linked it: choose all of them ("tools": null).',
    })
  refuseDuplicates(wanted)
  for (const tool of wanted) {
    judgeTool(tool, known)
    // Judging a value compiles a schema: other requests go between two of them.
    if (tool.choice.inputs) await setImmediate()
  }
  return Object.fromEntries(wanted.map(({ name, choice }) => [name, choice]))
}

const judgeTool = ({ name, choice, at }: NamedTool, known: NonNullable<KnownTools>): void => {
  const schema = known.get(name)
  if (!schema) {
    const meant = nearestName(name, [...known.keys()])
    throw new Refusal('unknown_tool', {
      param: at,
      message: `The Connector has no tool "${name}"${meant ? `; did you mean "${meant}"?` : '.'}`,
    })
  }
  const misfit = findMisfit(schema, choice)
  if (misfit)
    throw new Refusal('invalid_tool_choice', { param: `${at}.inputs.${misfit.input}`, message: misfit.why })
}

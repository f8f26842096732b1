import { setImmediate } from 'node:timers/promises'
import type { ConnectorFile } from '@carabiner/contract'
import { Refusal } from '../../../core/refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { choiceOf, type Requests } from '../../connectors/catalog/tool-choice.ts'
import { askToLink, type ListedTool, type OwnTool, offerTool, shippedTools } from './listed-tool.ts'
import type { ListedServer, PackListing } from './listing-store.ts'
import { type AccountOffer, offerAccounts } from './offer-accounts.ts'
import { ownTools } from './own-tools.ts'
import { rawRequestTool } from './raw-request-tool.ts'
import { toolsOfServers } from './server-tools.ts'

export type { ListedTool } from './listed-tool.ts'
export type ListOptions = { only: string[] | null; authenticatedOnly: boolean }

type Deps = { db: Database; connectors: Connectors }
/** Tools of a connector, the one that requests linking, or its raw request. */
type Group = { slug: string; tools: OwnTool[] } | { asks: ListedTool } | { slug: string; request: ListedTool }

/** The tools that the pack offers the user now, by name. */
export const listTools = async (
  { db, connectors }: Deps,
  caller: PackListing & { linkedConnectors: string[] } & AccountOffer,
  { only, authenticatedOnly }: ListOptions,
): Promise<ListedTool[]> => {
  const inPack = caller.packConnectors && new Set(caller.packConnectors)
  const linked = new Set(caller.linkedConnectors)
  const wanted = (slug: string): boolean =>
    (inPack === null || inPack.has(slug)) && (only === null || only.includes(slug))

  const taken = new Set(caller.mcpConnectors.map(({ slug }) => slug))
  const own = new Set(caller.ownApps)
  const ofCatalogue = connectors.catalog
    .all()
    .filter(({ slug }) => wanted(slug) && !taken.has(slug) && (!authenticatedOnly || linked.has(slug)))
    .filter(({ slug, mcp }) => mcp || own.has(slug) || connectors.findForAll(slug))
    .flatMap((connector): Group[] =>
      connector.mcp
        ? [{ asks: askToLink(connector) }]
        : [
            { slug: connector.slug, tools: shippedTools(connector) },
            ...requestOf(connector, caller.packRequests ?? {}),
          ],
    )

  const servers = caller.mcpConnectors
    .filter(({ slug }) => wanted(slug))
    .filter(server => !authenticatedOnly || linked.has(server.slug) || needsNoLink(server))
  const known = await toolsOfServers(db, caller.organizationId, servers)
  const ofServers = servers.map((server): Group => {
    const tools = known.get(server.slug)
    return tools ? { slug: server.slug, tools } : { asks: askToLink(server) }
  })
  return [...(await offerAll(caller, [...ofCatalogue, ...ofServers])), ...ownTools(caller)].toSorted(byName)
}

/** Everything that the pack offers to any user. `only`: the connectors that the caller selects. */
export const listPackTools = (
  deps: Deps,
  pack: PackListing,
  only: string[] | null = null,
): Promise<ListedTool[]> =>
  listTools(
    deps,
    { ...pack, linkedConnectors: [], accounts: {}, packAccounts: {} },
    { only, authenticatedOnly: false },
  )

const requestOf = (connector: ConnectorFile, requests: Requests): Group[] => {
  const rules = Object.hasOwn(requests, connector.slug) ? requests[connector.slug] : undefined
  const tool = rules && rawRequestTool(connector, rules)
  return tool ? [{ slug: connector.slug, request: tool }] : []
}

/** Whether users can call the tools of a server without linking an account. */
export const needsNoLink = ({ authentication }: ListedServer): boolean =>
  authentication === 'none' || authentication === 'organization_secret'

/** The first list of a pack validates its fixed values, which compiles schemas. Other requests run in between. */
const MAX_TURN_MS = 10

const offerAll = async (
  { packChoices, ...offered }: Pick<PackListing, 'packChoices'> & AccountOffer,
  groups: Group[],
): Promise<ListedTool[]> => {
  const listed: ListedTool[] = []
  let turn = performance.now()
  for (const group of groups) {
    if ('asks' in group) listed.push(group.asks)
    else if ('request' in group) listed.push(offerAccounts(group.request, group.slug, offered))
    else
      for (const own of group.tools) {
        const choice = choiceOf(packChoices ?? {}, group.slug, own.tool)
        const offer = choice && offerTool(own, choice)
        if (offer) listed.push(offerAccounts(offer, group.slug, offered))
        if (performance.now() - turn < MAX_TURN_MS) continue
        await setImmediate()
        turn = performance.now()
      }
  }
  return listed
}

const byName = (a: ListedTool, b: ListedTool): number => (a.name < b.name ? -1 : 1)

/** Tools on one page of `tools/list`. */
const PAGE_SIZE = 200

export type ToolPage = { tools: ListedTool[]; nextCursor?: string }

/** The cursor is the name of the last tool of a page, so that tools added or removed in between cause no overlap or gap. */
export const pageTools = (tools: ListedTool[], cursor: unknown, size: number = PAGE_SIZE): ToolPage => {
  const after = cursor === undefined ? null : readCursor(cursor)
  const first = after === null ? 0 : tools.findIndex(({ name }) => name > after)
  if (first === -1) return { tools: [] }
  const page = tools.slice(first, first + size)
  const last = page.at(-1)
  return {
    tools: page,
    ...(last && first + size < tools.length && { nextCursor: writeCursor(last.name) }),
  }
}

const writeCursor = (name: string): string => Buffer.from(name, 'utf8').toString('base64url')

const readCursor = (cursor: unknown): string => {
  const name = typeof cursor === 'string' && cursor.length <= 256 ? Buffer.from(cursor, 'base64url') : null
  const text = name?.toString('utf8') ?? ''
  if (!/^[\x21-\x7e]+$/.test(text) || writeCursor(text) !== cursor)
    throw new Refusal('invalid_cursor', { param: 'cursor' })
  return text
}

import { Refusal } from '../../../core/refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Connectors } from '../../connectors/availability.ts'
import type { PolicyReader } from '../../policies/policy-reader.ts'
import type { SessionCaller } from '../admission/caller-standing-store.ts'
import { parseToolName } from '../admission/tool-names.ts'
import { type RecordedRequest, recordOwnCall } from '../calls/record-own-call.ts'
import { type ListOptions, listTools, needsNoLink } from '../listing/list-tools.ts'
import type { ListedTool } from '../listing/listed-tool.ts'
import { type Listing, listingStore } from '../listing/listing-store.ts'
import { SEARCH_TOOLS, searchLimits } from '../listing/search-tools-tool.ts'
import { isConnectorTool } from '../listing/served-tools.ts'
import { withoutDenied } from '../listing/without-denied.ts'
import { successResult, type ToolResult } from '../results/tool-result.ts'
import { requireActiveCaller } from '../steps/require-caller.ts'
import { findTools, type SearchedConnectors } from './find-tools.ts'
import { revealedToolsStore } from './revealed-tools-store.ts'

type Deps = { db: Database; connectors: Connectors; policies: PolicyReader }
type SearchCall = SessionCaller & ListOptions & RecordedRequest & { args: Record<string, unknown> }

/** `changedList`: tools were added to the list of the session. */
export type SearchResult = { result: ToolResult; changedList: boolean }

/**
 * The tool `search_tools`: finds tools that the pack offers the user now. Recorded but not counted. Without the pack's setting, the
 * tool does not exist.
 */
export const searchTools = async (deps: Deps, call: SearchCall): Promise<SearchResult> => {
  const listing = await listingStore.listing(deps.db, call)
  const caller = requireActiveCaller(listing)
  if (caller.packServing === 'list') throw new Refusal('tool_not_found', { param: 'name' })
  const { query, connector, limit } = readArguments(call.args)
  const listed = await withoutDenied(deps, caller, await listTools(deps, caller, call))
  const offered = listed.filter(isConnectorTool)
  const found = await findTools(searchedConnectors(deps.connectors, listing), offered, {
    query,
    connector,
    limit,
  })
  const { result, names } = describeFound(found, offered, caller.packResultLimit)
  const changedList =
    caller.packServing === 'reveal' &&
    names.length > 0 &&
    (await revealedToolsStore.add(
      deps.db,
      {
        organizationId: caller.organizationId,
        registeredUserId: caller.userId,
        toolPackId: caller.packId,
        sessionHash: call.sessionHash,
      },
      names,
    ))
  await recordOwnCall(deps.db, caller, call, { tool: SEARCH_TOOLS })
  return { result, changedList }
}

const readArguments = (args: Record<string, unknown>) => {
  const { query, connector = null, limit = searchLimits.default, ...others } = args
  const [unknown] = Object.keys(others)
  if (unknown !== undefined) throw invalid(unknown.slice(0, 128), 'is not an argument of this tool')
  if (typeof query !== 'string' || query.trim() === '' || query.length > searchLimits.queryLength)
    throw invalid('query', `must be a text of at most ${searchLimits.queryLength} characters`)
  if (connector !== null && typeof connector !== 'string')
    throw invalid('connector', 'must be the name of a connector')
  if (!Number.isSafeInteger(limit) || (limit as number) < 1 || (limit as number) > searchLimits.maximum)
    throw invalid('limit', `must be a whole number from 1 to ${searchLimits.maximum}`)
  return { query, connector, limit: limit as number }
}

const invalid = (param: string, why: string): Refusal =>
  new Refusal('invalid_arguments', { param, message: `"${param}" ${why}.` })

const searchedConnectors = (
  { catalog }: Connectors,
  { mcpConnectors, linkedConnectors }: Pick<Listing, 'mcpConnectors' | 'linkedConnectors'>,
): SearchedConnectors => {
  const servers = new Map(mcpConnectors.map(server => [server.slug, server]))
  const linked = new Set(linkedConnectors)
  return {
    namesOf: slug => {
      const shipped = catalog.find(slug)
      return { name: servers.get(slug)?.name ?? shipped?.name ?? '', keywords: shipped?.keywords ?? [] }
    },
    isLinked: slug => {
      const server = servers.get(slug)
      return linked.has(slug) || (server !== undefined && needsNoLink(server))
    },
  }
}

/** The tools are in the text and in the structured content of the result, and quotes are escaped in the text. */
const MAX_SHARE_OF_LIMIT = 0.4

/** As many of the found tools as the pack's result limit allows, best first. Without any, the connectors that can be searched. */
const describeFound = (
  found: ListedTool[],
  offered: ListedTool[],
  resultLimit: number,
): { result: ToolResult; names: string[] } => {
  const tools: object[] = []
  const names: string[] = []
  let bytes = 0
  for (const { name, description, inputSchema } of found) {
    const tool = { name, description, inputSchema }
    bytes += Buffer.byteLength(JSON.stringify(tool))
    if (bytes > resultLimit * MAX_SHARE_OF_LIMIT) break
    tools.push(tool)
    names.push(name)
  }
  const leftOut = found.length - names.length
  return {
    names,
    result: successResult({
      tools,
      ...(leftOut > 0 && {
        left_out: leftOut,
        message: 'Tools were left out because of their size. Use a smaller limit.',
      }),
      ...(found.length === 0 && {
        message: 'No tool matches. Use other words, or one of these connectors.',
        connectors: slugsOf(offered),
      }),
    }),
  }
}

const MAX_SLUGS = 100

const slugsOf = (tools: ListedTool[]): string[] =>
  [...new Set(tools.map(({ name }) => parseToolName(name)?.slug ?? ''))].slice(0, MAX_SLUGS)

import { BYTES_PER_TOKEN, type ListCost, type ListCosts } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import { parsePage } from '../../../core/cursor.ts'
import { Refusal } from '../../../core/refusal.ts'
import { isUuid } from '../../../core/uuid.ts'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Connectors } from '../../connectors/availability.ts'
import { chooseConnectors } from '../../connectors/tool-packs/save-tool-pack.ts'
import { parseToolName } from '../admission/tool-names.ts'
import { listPackTools, pageTools } from './list-tools.ts'
import type { ListedTool } from './listed-tool.ts'
import { listingStore, type PackListing } from './listing-store.ts'
import { ownTools } from './own-tools.ts'
import { isConnectorTool, servedTools } from './served-tools.ts'

type Deps = { db: Database; connectors: Connectors }

export const packToolsRoutes = (api: Api, deps: Deps): void => {
  serve(api, operations.listToolPackTools, async request => {
    const { id } = request.params
    const { limit, cursor } = request.query
    const { limit: size } = parsePage({ ...(limit !== undefined && { limit }) })
    const pack = isUuid(id)
      ? await listingStore.packListing(deps.db, request.principal.organizationId, id)
      : null
    if (!pack) throw new Refusal('tool_pack_not_found')
    const tools = await listPackTools(deps, pack)
    const page = pageTools(tools, cursor, size)
    return {
      data: page.tools.map(showTool),
      next_cursor: page.nextCursor ?? null,
      total_tools: tools.length,
      total_definition_bytes: sumOfBytes(tools),
      list_costs: listCosts(pack, tools),
    }
  })

  serve(api, operations.estimateToolPack, async request => {
    const { organizationId } = request.principal
    const { id } = request.params
    const { connectors, choices, requests } = await chooseConnectors(
      deps,
      organizationId,
      request.body.connectors ?? null,
    )
    const pack = isUuid(id)
      ? await listingStore.draftListing(deps.db, organizationId, id, { connectors, choices, requests })
      : null
    if (!pack) throw new Refusal('tool_pack_not_found')
    return { list_costs: listCosts(pack, await listPackTools(deps, pack)) }
  })
}

const sizes = new WeakMap<ListedTool, number>()

/** Bytes of the definition in `tools/list`. Definitions are shared by lists, so each is measured once. */
const definitionBytes = (tool: ListedTool): number => {
  const known = sizes.get(tool)
  if (known !== undefined) return known
  const size = Buffer.byteLength(JSON.stringify(tool))
  sizes.set(tool, size)
  return size
}

const sumOfBytes = (tools: ListedTool[]): number =>
  tools.reduce((sum, tool) => sum + definitionBytes(tool), 0)

const listCosts = (pack: PackListing, tools: ListedTool[]): ListCosts => ({
  list: listCost(pack, tools, 'list'),
  search: listCost(pack, tools, 'search'),
  reveal: listCost(pack, tools, 'reveal'),
})

/** The cost of the list if the pack were served in this way. */
const listCost = (pack: PackListing, tools: ListedTool[], serving: PackListing['packServing']): ListCost => {
  const served = { ...pack, packServing: serving }
  const listed = servedTools(served, [...tools.filter(isConnectorTool), ...ownTools(served)])
  const bytes = sumOfBytes(listed)
  return {
    tools: listed.length,
    definition_bytes: bytes,
    estimated_tokens: Math.round(bytes / BYTES_PER_TOKEN),
  }
}

const showTool = (tool: ListedTool) => ({
  name: tool.name,
  connector: parseToolName(tool.name)?.slug ?? null,
  ...(tool.title !== undefined && { title: tool.title }),
  description: tool.description,
  input_schema: tool.inputSchema,
  annotations: tool.annotations,
  definition_bytes: definitionBytes(tool),
})

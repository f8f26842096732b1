import { operations } from '@carabiner/contract/operations'
import { Refusal } from '../../../core/refusal.ts'
import { isUuid } from '../../../core/uuid.ts'
import type { Api } from '../../../edge/api.ts'
import { serve } from '../../../edge/serve.ts'
import type { Database } from '../../../platform/database/database.ts'
import { type Connectors, toolCount, type UsableConnector } from '../availability.ts'
import type { CatalogConnector } from '../catalog/catalog.ts'
import { tileOf } from '../connector-tile.ts'
import { searchTools } from '../search-connector-tools.ts'
import { toolPackStore } from './tool-pack-store.ts'

export const connectorRoutes = (
  api: Api,
  { db, connectors, baseUrl }: { db: Database; connectors: Connectors; baseUrl: string },
): void => {
  serve(api, operations.listConnectors, async request => {
    const { organizationId } = request.principal
    const { linkable_in: packId } = request.query
    if (packId !== undefined) {
      const linkable = await listLinkable({ db, connectors }, organizationId, packId)
      return { data: linkable.map(connector => showConnector(connectors, connector, baseUrl, true)) }
    }
    const usable = await connectors.usable(organizationId)
    const known = new Set(usable.map(({ slug }) => slug))
    const others =
      request.query.include === 'not_configured'
        ? connectors.catalog.all().filter(({ slug }) => !known.has(slug))
        : []
    return {
      data: [
        ...usable.map(connector => showConnector(connectors, connector, baseUrl, true)),
        ...others.map(connector => showConnector(connectors, connector, baseUrl, false)),
      ],
    }
  })

  serve(api, operations.searchTools, request =>
    searchTools({ db, connectors }, request.principal.organizationId, request.query.search),
  )
}

/** What `POST …/link-token` accepts for the pack. */
const listLinkable = async (
  { db, connectors }: { db: Database; connectors: Connectors },
  organizationId: string,
  packId: string,
): Promise<UsableConnector[]> => {
  const pack =
    packId === 'default'
      ? await toolPackStore.findDefault(db, organizationId)
      : isUuid(packId) && (await toolPackStore.find(db, organizationId, packId))
  if (!pack) throw new Refusal('tool_pack_not_found', { param: 'linkable_in' })
  const { connectors: listed } = pack
  const inPack = listed
    ? (await connectors.linkable(organizationId)).filter(({ slug }) => listed.includes(slug))
    : await connectors.usable(organizationId)
  return inPack.filter(({ needsNoLink }) => !needsNoLink)
}

const sourceOf = (inCatalog: CatalogConnector | null) => {
  if (!inCatalog) return 'custom' as const
  return inCatalog.isOperatorFile ? ('file' as const) : ('catalog' as const)
}

const showConnector = (
  { catalog }: Connectors,
  connector: UsableConnector,
  baseUrl: string,
  isUsable: boolean,
) => ({
  slug: connector.slug,
  name: connector.name,
  summary: connector.summary,
  categories: connector.categories,
  source: sourceOf(catalog.find(connector.slug)),
  kind: connector.mcp ? ('mcp' as const) : ('http' as const),
  methods: connector.authorization.map(({ type }) => type),
  needs_account: !connector.needsNoLink,
  tool_count: toolCount(connector),
  is_usable: isUsable,
  attention: connector.attention ?? null,
  documentation_url: connector.documentation_url,
  logo_url: connector.logoPath === undefined ? null : baseUrl + connector.logoPath,
  tile: tileOf(connector),
})

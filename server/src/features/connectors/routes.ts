import { Connectors as ConnectorList, ConnectorQuery, FoundTools, ToolSearch } from '@carabiner/contract'
import type { Api } from '../../edge/api.ts'
import type { Database } from '../../platform/database/database.ts'
import { type Connectors, toolCount, type UsableConnector } from './availability.ts'
import type { CatalogConnector } from './catalog/catalog.ts'
import { searchTools } from './search-tools.ts'

const tags = ['Connectors']

export const connectorRoutes = (
  api: Api,
  { db, connectors, baseUrl }: { db: Database; connectors: Connectors; baseUrl: string },
): void => {
  api.get(
    '/connectors',
    {
      schema: {
        summary: 'List the connectors that can be used now',
        description:
          'Connectors with tools and with an API key method or an OAuth app (yours or the service’s), MCP servers of providers, and your own MCP servers.',
        tags,
        querystring: ConnectorQuery,
        response: { 200: ConnectorList },
      },
    },
    async request => {
      const usable = await connectors.usable(request.principal.organizationId)
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
    },
  )

  api.get(
    '/connector-tools',
    {
      schema: {
        summary: 'Search the tools of all usable connectors',
        description:
          'Tools of catalog connectors and accepted tools of MCP servers. At most 100 definitions are returned; `total` counts all matches.',
        tags,
        querystring: ToolSearch,
        response: { 200: FoundTools },
      },
    },
    request => searchTools({ db, connectors }, request.principal.organizationId, request.query.search),
  )
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
  tool_count: toolCount(connector),
  is_usable: isUsable,
  documentation_url: connector.documentation_url,
  logo_url: connector.logoPath === undefined ? null : baseUrl + connector.logoPath,
})

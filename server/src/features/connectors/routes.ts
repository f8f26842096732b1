import { Connectors as ConnectorList } from '@carabiner/contract'
import type { Api } from '../../edge/api.ts'
import { type Connectors, toolCount, type UsableConnector } from './availability.ts'

const tags = ['Connectors']

export const connectorRoutes = (
  api: Api,
  { connectors, baseUrl }: { connectors: Connectors; baseUrl: string },
): void => {
  api.get(
    '/connectors',
    {
      schema: {
        summary: 'List the connectors that can be used now',
        description:
          'Catalog connectors with an API key method or an OAuth app (yours or the service’s), MCP servers of providers, and your own MCP servers.',
        tags,
        response: { 200: ConnectorList },
      },
    },
    async request => ({
      data: (await connectors.usable(request.principal.organizationId)).map(connector =>
        showConnector(connectors, connector, baseUrl),
      ),
    }),
  )
}

const showConnector = ({ catalog }: Connectors, connector: UsableConnector, baseUrl: string) => ({
  slug: connector.slug,
  name: connector.name,
  summary: connector.summary,
  categories: connector.categories,
  source: catalog.find(connector.slug) ? ('catalog' as const) : ('custom' as const),
  kind: connector.mcp ? ('mcp' as const) : ('http' as const),
  methods: connector.authorization.map(({ type }) => type),
  tool_count: toolCount(connector),
  documentation_url: connector.documentation_url,
  logo_url: connector.logoPath === undefined ? null : baseUrl + connector.logoPath,
})

import { type ConnectorFile, Connectors as ConnectorList, ToolPacks } from '@carabiner/contract'
import type { Api } from '../../edge/api.ts'
import type { Database } from '../../platform/database.ts'
import { type Connectors, inPack } from './availability.ts'
import { toolPackStore } from './tool-pack-store.ts'

const tags = ['Connectors']

export const connectorRoutes = (
  api: Api,
  { db, connectors }: { db: Database; connectors: Connectors },
): void => {
  api.get(
    '/connectors',
    {
      schema: {
        summary: 'List the connectors that can be used now',
        description:
          'Those of the catalogue that have an API key method or an OAuth app (yours or the service’s), the MCP servers of vendors, and your own.',
        tags,
        response: { 200: ConnectorList },
      },
    },
    async request => ({
      data: (await connectors.usable(request.principal.organizationId)).map(connector =>
        showConnector(connectors, connector),
      ),
    }),
  )

  api.get(
    '/tool-packs',
    { schema: { summary: 'List Tool Packs', tags, response: { 200: ToolPacks } } },
    async request => {
      const { organizationId } = request.principal
      const [usable, packs] = await Promise.all([
        connectors.usable(organizationId),
        toolPackStore.list(db, organizationId),
      ])
      return {
        data: packs.map(row => ({
          ...row,
          connectors: inPack(usable, row.connectors).map(({ slug }) => slug),
          created_at: row.created_at.toISOString(),
        })),
      }
    },
  )
}

const showConnector = ({ catalogue }: Connectors, connector: ConnectorFile) => ({
  slug: connector.slug,
  name: connector.name,
  summary: connector.summary,
  categories: connector.categories,
  source: catalogue.find(connector.slug) ? ('catalogue' as const) : ('custom' as const),
  kind: connector.mcp ? ('mcp' as const) : ('http' as const),
  methods: connector.authorization.map(({ type }) => type),
  documentation_url: connector.documentation_url,
})

import { Connectors as ConnectorList, ToolPacks } from '@carabiner/contract'
import type { Api } from '../../edge/api.ts'
import { type Database, statement } from '../../platform/database.ts'
import { type Connectors, packConnectors } from './availability.ts'

type PackRow = {
  id: string
  name: string
  is_default: boolean
  connectors: string[] | null
  created_at: Date
}

const selectPacks = statement<PackRow>(
  'tool_packs.list',
  'select id, name, is_default, connectors, created_at from tool_packs where organization_id = $1 order by created_at, id',
)

const tags = ['Connectors']

export const connectorRoutes = (
  api: Api,
  { db, connectors }: { db: Database; connectors: Connectors },
): void => {
  api.get(
    '/connectors',
    {
      schema: {
        summary: 'List the connectors that can be linked now',
        tags,
        response: { 200: ConnectorList },
      },
    },
    async () => ({
      data: connectors.usable().map(({ slug, name, summary, authorization }) => ({
        slug,
        name,
        summary,
        authorization: authorization.type,
      })),
    }),
  )

  api.get(
    '/tool-packs',
    { schema: { summary: 'List Tool Packs', tags, response: { 200: ToolPacks } } },
    async request => ({
      data: (await db.query(selectPacks, [request.principal.organizationId])).map(row => ({
        ...row,
        connectors: packConnectors(connectors, row.connectors).map(({ slug }) => slug),
        created_at: row.created_at.toISOString(),
      })),
    }),
  )
}

import { Type } from 'typebox'
import {
  ConnectorQuery,
  Connectors,
  FoundTools,
  ToolSearch,
  UNUSED_SCOPE_DAYS,
  UnusedScopes,
} from '../connector-resources.ts'
import { declareOperations } from './operation.ts'

export const ConnectorPath = Type.Object({ slug: Type.String({ maxLength: 64 }) })

export const connectorOperations = declareOperations('Connectors', {
  searchTools: {
    route: 'GET /connector-tools',
    client: { method: 'connectors.searchTools', argument: 'search' },
    summary: 'Search tools',
    description:
      'Searches the tools of all usable connectors: those of the catalog, and accepted tools of MCP servers. At most 100 definitions are returned; `total` counts all matches.',
    query: ToolSearch,
    responses: { 200: FoundTools },
    tool: { name: 'search_connector_tools', access: 'read' },
  },
  listUnusedScopes: {
    route: 'GET /unused-scopes',
    client: 'connectors.unusedScopes',
    summary: 'List unused scopes',
    description: `Lists, by connector, the scopes that users granted at least ${UNUSED_SCOPE_DAYS} days ago and that no call has needed since. To request less from the next link on, remove the tools from the Tool Packs, or narrow the scopes of the OAuth app.`,
    responses: { 200: UnusedScopes },
  },
  listConnectors: {
    route: 'GET /connectors',
    client: 'connectors.list',
    summary: 'List connectors',
    description:
      'Lists what can be linked now: connectors with tools and with an API key method or an OAuth app (yours or the service’s), MCP servers of providers, and your own MCP servers.',
    query: ConnectorQuery,
    responses: { 200: Connectors },
    tool: { name: 'list_connectors', access: 'read' },
  },
})

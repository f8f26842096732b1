import type { Queryable } from '../../../platform/database/database.ts'
import type { ServedConnector } from './mcp-connector.ts'
import { mcpConnectorStore } from './mcp-connector-store.ts'

/** The part of a tool that matters to a user who decides whether to connect an account. */
export type KnownTool = {
  name: string
  title: string
  readOnly: boolean
  /** Undefined for tools of MCP servers. */
  method?: string
  /** All are required; of an inner list, one is enough. */
  scopes: (string | string[])[]
}

/** The tools of a connector. Empty for an MCP server whose tools are unknown until an account is linked. */
export const knownTools = async (
  db: Queryable,
  organizationId: string,
  { tools, serverId }: ServedConnector,
): Promise<KnownTool[]> => {
  if (serverId === undefined)
    return tools.map(({ name, title, read_only, request, scopes }) => ({
      name,
      title,
      readOnly: read_only,
      method: request.method,
      scopes,
    }))
  const found = await mcpConnectorStore.tools(db, organizationId, serverId)
  return found.map(({ name, title, upstreamName, annotations }) => ({
    name,
    title: title || upstreamName,
    readOnly: annotations.readOnlyHint === true,
    scopes: [],
  }))
}

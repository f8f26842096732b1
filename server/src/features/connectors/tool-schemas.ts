import type { JsonObject } from '../../core/json/object.ts'
import type { Queryable } from '../../platform/database/database.ts'
import { publishedInputSchema } from '../upstream/http/pagination.ts'
import type { Connectors } from './availability.ts'
import { mcpConnectorStore } from './mcp-servers/mcp-connector-store.ts'

export type ToolSchema = { name: string; inputSchema: JsonObject }

/**
 * All tools of a connector, whatever a pack offers, by the names that callers use. Empty for a server whose tools are not known yet. Null if
 * there is no such connector.
 */
export const readToolSchemas = async (
  { db, connectors }: { db: Queryable; connectors: Connectors },
  organizationId: string,
  slug: string,
): Promise<ToolSchema[] | null> => {
  const named = (name: string, inputSchema: JsonObject): ToolSchema => ({
    name: `${slug}__${name}`,
    inputSchema,
  })
  const shipped = connectors.findShipped(slug)
  if (shipped) return shipped.tools.map(tool => named(tool.name, publishedInputSchema(tool)))
  const server = await mcpConnectorStore.find(db, organizationId, slug)
  if (!server) return (await connectors.find(organizationId, slug)) ? [] : null
  const tools = await mcpConnectorStore.tools(db, organizationId, server.id)
  return tools.map(({ name, inputSchema }) => named(name, inputSchema))
}

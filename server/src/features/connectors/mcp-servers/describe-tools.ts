import type { McpToolsState } from '@carabiner/contract'
import { canonicalJson } from '../../../core/json/canonical-json.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { McpTool } from '../../upstream/mcp-client/tool-definitions.ts'
import { mcpConnectorStore, type StoredMcpConnector } from './mcp-connector-store.ts'

/** The accepted tools of a server, and how its pending tools differ from them. */
export const describeTools = async (db: Database, connector: StoredMcpConnector): Promise<McpToolsState> => {
  const [tools, pending] = await Promise.all([
    mcpConnectorStore.tools(db, connector.organizationId, connector.id),
    mcpConnectorStore.pending(db, connector),
  ])
  const known = new Map(tools.map(tool => [tool.name, canonicalJson(tool)]))
  const next = pending?.found.tools ?? []
  return {
    tools_hash: connector.toolsHash,
    tools: tools.map(showTool),
    problems: connector.toolProblems,
    pending: pending && {
      hash: pending.hash,
      since: (connector.pendingSince ?? new Date(0)).toISOString(),
      added: next.filter(({ name }) => !known.has(name)).map(({ name }) => name),
      removed: tools.filter(({ name }) => !next.some(tool => tool.name === name)).map(({ name }) => name),
      changed: next
        .filter(tool => known.has(tool.name) && known.get(tool.name) !== canonicalJson(tool))
        .map(({ name }) => name),
      tools: next.map(showTool),
      problems: pending.found.problems,
    },
  }
}

export type PendingChange = { hash: string; accepted: McpTool[]; pending: McpTool[] }

/** The accepted and the pending definitions of a server; null if nothing is pending. */
export const findPendingChange = async (
  db: Database,
  connector: StoredMcpConnector,
): Promise<PendingChange | null> => {
  const [accepted, pending] = await Promise.all([
    mcpConnectorStore.tools(db, connector.organizationId, connector.id),
    mcpConnectorStore.pending(db, connector),
  ])
  return pending && { hash: pending.hash, accepted, pending: pending.found.tools }
}

export const showTool = ({ name, upstreamName, title, description, inputSchema, annotations }: McpTool) => ({
  name,
  upstream_name: upstreamName,
  title,
  description,
  input_schema: inputSchema,
  annotations,
  effects: null,
})

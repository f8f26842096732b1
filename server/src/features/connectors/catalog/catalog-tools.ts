import {
  type ConnectorFile,
  type ConnectorTool,
  isDestructive,
  type McpToolsState,
} from '@carabiner/contract'
import { publishedInputSchema } from '../../upstream/http/pagination.ts'

/** The hints that MCP clients show for a tool. */
export const toolAnnotations = ({ title, read_only, effects = [] }: ConnectorTool) => ({
  title,
  readOnlyHint: read_only,
  ...(!read_only && { destructiveHint: isDestructive(effects) }),
})

/**
 * The tools of a connector file in the format of an MCP server's tools. They change with the file only, so there are
 * no pending changes.
 */
export const describeCatalogTools = ({ tools }: ConnectorFile): McpToolsState => ({
  tools_hash: null,
  tools: tools.map(tool => ({
    name: tool.name,
    upstream_name: tool.name,
    title: tool.title,
    description: tool.description,
    input_schema: publishedInputSchema(tool),
    annotations: toolAnnotations(tool),
    effects: tool.effects ?? [],
  })),
  problems: [],
  pending: null,
})

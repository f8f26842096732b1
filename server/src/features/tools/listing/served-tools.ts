import { parseToolName } from '../admission/tool-names.ts'
import type { ListedTool } from './listed-tool.ts'
import type { PackListing } from './listing-store.ts'

type PackServing = Pick<PackListing, 'packServing' | 'packFavorites'>

/** The tools of connectors; the others are tools of the service itself. */
export const isConnectorTool = ({ name }: ListedTool): boolean => parseToolName(name) !== null

/** The part of the pack's tools that `tools/list` contains. `revealed`: tools that a search of the session has found. */
export const servedTools = (
  { packServing, packFavorites }: PackServing,
  tools: ListedTool[],
  revealed: string[] = [],
): ListedTool[] => {
  if (packServing === 'list') return tools
  const listed = new Set([...(packFavorites ?? []), ...(packServing === 'reveal' ? revealed : [])])
  return tools.filter(tool => !isConnectorTool(tool) || listed.has(tool.name))
}

import type { FoundCaller } from '../admission/caller-store.ts'
import { explainAccessTool } from './explain-access-tool.ts'
import { fetchResultTool } from './fetch-result-tool.ts'
import type { ListedTool } from './listed-tool.ts'
import { renewConnectionTool } from './renew-connection-tool.ts'
import { callToolTool, revealingSearchTool, searchToolsTool } from './search-tools-tool.ts'

type PackSettings = Pick<
  FoundCaller,
  'packResultHandles' | 'packExplainAccess' | 'packRenewalNotices' | 'packServing'
>

const OWN_TOOLS: { tool: ListedTool; isOffered: (pack: PackSettings) => boolean }[] = [
  { tool: fetchResultTool, isOffered: pack => pack.packResultHandles },
  { tool: explainAccessTool, isOffered: pack => pack.packExplainAccess },
  { tool: renewConnectionTool, isOffered: pack => pack.packRenewalNotices },
  { tool: searchToolsTool, isOffered: pack => pack.packServing === 'search' },
  { tool: callToolTool, isOffered: pack => pack.packServing === 'search' },
  { tool: revealingSearchTool, isOffered: pack => pack.packServing === 'reveal' },
]

/** The tools of the service itself that the pack offers. */
export const ownTools = (pack: PackSettings): ListedTool[] =>
  OWN_TOOLS.filter(({ isOffered }) => isOffered(pack)).map(({ tool }) => tool)

/** Whether the pack offers the tool of the service with this name. Null: the service has no such tool. */
export const offeredOwnTool = (name: string, pack: PackSettings): boolean | null => {
  const own = OWN_TOOLS.filter(({ tool }) => tool.name === name)
  return own.length === 0 ? null : own.some(({ isOffered }) => isOffered(pack))
}

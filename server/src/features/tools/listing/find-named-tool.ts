import { Refusal } from '../../../core/refusal.ts'
import { similarNames } from '../../../core/similar-names.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { Connectors } from '../../connectors/availability.ts'
import type { FoundCaller } from '../admission/caller-store.ts'
import { listPackTools } from './list-tools.ts'
import { listingStore } from './listing-store.ts'
import { restoreName } from './restore-name.ts'

type Pack = Pick<FoundCaller, 'packServing'> & { organizationId: string; packId: string }
/** `only`: the connectors that the caller selects. */
type NamedTool = { name: string; only: string[] | null }

/** The tool of a pack that a name means, or the refusal that suggests others. For calls that were not admitted. */
export const findNamedTool = async (
  deps: { db: Database; connectors: Connectors },
  { organizationId, packId, packServing }: Pack,
  { name, only }: NamedTool,
): Promise<{ name: string } | { refusal: Refusal }> => {
  const pack = await listingStore.packListing(deps.db, organizationId, packId)
  const names = pack ? (await listPackTools(deps, pack, only)).map(tool => tool.name) : []
  const meant = restoreName(name, names)
  return meant === null ? { refusal: toolNotFound(name, packServing, names) } : { name: meant }
}

const MAX_SUGGESTIONS = 3

const toolNotFound = (name: string, serving: Pack['packServing'], names: string[]): Refusal => {
  const similar = similarNames(name, names, MAX_SUGGESTIONS)
  const suggestion = similar.length > 0 && `Similar tools: ${similar.join(', ')}.`
  const sentences = [
    'There is no such tool in this Tool Pack.',
    suggestion,
    serving !== 'list' && 'Find tools with search_tools.',
    serving === 'list' && !suggestion && 'Use one of the listed tools.',
  ]
  return new Refusal('tool_not_found', { param: 'name', message: sentences.filter(Boolean).join(' ') })
}

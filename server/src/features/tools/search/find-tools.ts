import { parseToolName } from '../admission/tool-names.ts'
import type { ListedTool } from '../listing/listed-tool.ts'
import { type Ranked, rankTools, type ToolWords, wordsOfTool } from './rank-tools.ts'
import { tokenize } from './tokenize.ts'
import { createTurn } from './turn.ts'

type Search = { query: string; connector: string | null; limit: number }

/**
 * By definition. Definitions are shared by lists and cached by the hash of their server's tools, so an entry never outlives or
 * contradicts its definition. There is no index of a pack: what a search may find is the list of this moment.
 */
const known = new WeakMap<ListedTool, ToolWords>()

/** The best matches among the tools, best first. `namesOf`: the names of a connector. */
export const findTools = async (
  namesOf: (slug: string) => string,
  tools: ListedTool[],
  { query, connector, limit }: Search,
): Promise<ListedTool[]> => {
  const connectors = new Map<string, ReadonlySet<string>>()
  const ranked: Ranked<ListedTool>[] = []
  const turn = createTurn()
  for (const tool of tools) {
    const slug = parseToolName(tool.name)?.slug ?? ''
    if (connector !== null && slug !== connector) continue
    const words = connectors.get(slug) ?? new Set(tokenize(namesOf(slug)))
    connectors.set(slug, words)
    ranked.push({ tool, words: wordsOf(tool), connector: words })
    await turn.yieldIfLong()
  }
  const found = await rankTools(ranked, query)
  return found.slice(0, limit).map(({ tool }) => tool)
}

const wordsOf = (tool: ListedTool): ToolWords => {
  const words = known.get(tool)
  if (words) return words
  const { name, title = '', description, inputSchema } = tool
  const made = wordsOfTool({
    name: parseToolName(name)?.tool ?? name,
    title,
    description,
    argumentNames: Object.keys((inputSchema.properties as object | undefined) ?? {}),
  })
  known.set(tool, made)
  return made
}

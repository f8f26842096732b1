import { parseToolName } from '../admission/tool-names.ts'
import type { ListedTool } from '../listing/listed-tool.ts'
import {
  type ConnectorWords,
  type Ranked,
  rankTools,
  type ToolText,
  type ToolWords,
  wordsOfConnector,
  wordsOfTool,
} from './rank-tools.ts'
import { createTurn } from './turn.ts'

type Search = { query: string; connector: string | null; limit: number }

/**
 * By definition. Definitions are shared by lists and cached by the hash of their server's tools, so an entry never outlives or
 * contradicts its definition. There is no index of a pack: what a search may find is the list of this moment.
 */
const known = new WeakMap<ListedTool, ToolWords>()

/** How people refer to a connector. */
export type ConnectorNames = { name: string; keywords: string[] }

/** The best matches among the tools, best first. */
export const findTools = async (
  namesOf: (slug: string) => ConnectorNames,
  tools: ListedTool[],
  { query, connector, limit }: Search,
): Promise<ListedTool[]> => {
  const connectors = new Map<string, ConnectorWords>()
  const ranked: Ranked<ListedTool>[] = []
  const turn = createTurn()
  for (const tool of tools) {
    const slug = parseToolName(tool.name)?.slug ?? ''
    if (connector !== null && slug !== connector) continue
    const { name, keywords } = namesOf(slug)
    const words = connectors.get(slug) ?? wordsOfConnector(`${slug} ${name}`, keywords)
    connectors.set(slug, words)
    ranked.push({ tool, text: wordsOf(tool), connector: words })
    if (turn.isLong()) await turn.next()
  }
  const found = discountRepetitions(await rankTools(ranked, query))
  return found.slice(0, limit).map(({ tool }) => tool)
}

/** How much of its score a repetition keeps. */
const REPETITION_WEIGHT = 0.5

/**
 * Connectors of one system have the same tools, such as `jira` and `jira-api-token`. A repetition of a better match would take the
 * place of a different tool.
 */
const discountRepetitions = (found: { tool: ListedTool; score: number }[]) => {
  const seen = new Set<string>()
  return found
    .map(({ tool, score }) => {
      const definition = `${parseToolName(tool.name)?.tool} ${tool.description}`
      const isRepetition = seen.has(definition)
      seen.add(definition)
      return { tool, score: isRepetition ? score * REPETITION_WEIGHT : score }
    })
    .toSorted((a, b) => b.score - a.score)
}

const wordsOf = (tool: ListedTool): ToolWords => {
  const words = known.get(tool)
  if (words) return words
  const made = wordsOfTool(textOf(tool))
  known.set(tool, made)
  return made
}

/** The tool that requests a link says nothing of what it is needed for, so it is found by the name of its connector only. */
const REQUESTS_LINK: ToolText = { name: '', title: '', description: '', arguments: [] }

const textOf = ({ name, title = '', description, inputSchema }: ListedTool): ToolText => {
  const address = parseToolName(name)
  return address?.tool === null
    ? REQUESTS_LINK
    : { name: address?.tool ?? name, title, description, arguments: argumentsOf(inputSchema) }
}

const argumentsOf = ({ properties }: ListedTool['inputSchema']): ToolText['arguments'] =>
  Object.entries((properties as Record<string, unknown> | undefined) ?? {}).map(([name, schema]) => {
    const description = (schema as { description?: unknown } | null)?.description
    return { name, description: typeof description === 'string' ? description : '' }
  })

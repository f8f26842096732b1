import { parseToolName } from '../admission/tool-names.ts'
import type { ListedTool } from '../listing/listed-tool.ts'
import { stem, wordsOfName, wordsOfText } from './tokenize.ts'
import type { Turn } from './turn.ts'

/** `frequency`: weighted occurrences of a word in the tool with this number. */
type Posting = { tool: number; frequency: number }

/** The stemmed words of the tools of one connector. `labels`: those of names and titles. */
export type ConnectorIndex = {
  slug: string
  tools: ListedTool[]
  postings: ReadonlyMap<string, Posting[]>
  labels: ReadonlySet<string>
  /** The connector is a placeholder: its only tool requests a link, and its words say nothing of what it is needed for. */
  isPlaceholder: boolean
}

// A name is written to be found, so a word of it counts more than one of a description.
const NAME_WEIGHT = 3
const TITLE_WEIGHT = 2
const ARGUMENT_NAME_WEIGHT = 0.5
const ARGUMENT_DESCRIPTION_WEIGHT = 0.1
const MAX_ARGUMENTS = 100

/** How much the words of long descriptions are discounted, as in BM25, and the length from which they are. */
const LENGTH_DISCOUNT = 0.6
const USUAL_LENGTH = 20

/**
 * By the first tool. Definitions are shared by lists and cached by the hash of their server's tools, so an index never outlives them. A
 * list with other tools of the connector replaces it.
 */
const known = new WeakMap<ListedTool, ConnectorIndex>()

export const indexConnector = async (
  slug: string,
  tools: ListedTool[],
  turn: Turn,
): Promise<ConnectorIndex> => {
  const [first] = tools
  const cached = first && known.get(first)
  if (cached && cached.tools.length === tools.length && cached.tools.every((tool, at) => tool === tools[at]))
    return cached
  const postings = new Map<string, Posting[]>()
  const labels = new Set<string>()
  const isPlaceholder = tools.every(({ name }) => parseToolName(name)?.tool === null)
  for (const [number, tool] of isPlaceholder ? [] : tools.entries()) {
    for (const [word, frequency] of wordsOfTool(tool, labels)) {
      const posting = { tool: number, frequency }
      const others = postings.get(word)
      if (others) others.push(posting)
      else postings.set(word, [posting])
    }
    if (turn.isLong()) await turn.next()
  }
  const made = { slug, tools, postings, labels, isPlaceholder }
  if (first) known.set(first, made)
  return made
}

const wordsOfTool = (tool: ListedTool, labels: Set<string>): Map<string, number> => {
  const words = new Map<string, number>()
  const prose = new Map<string, number>()
  let length = 0
  const add = (to: Map<string, number>, found: string[], weight: number): void => {
    for (const word of found.map(stem)) {
      to.set(word, (to.get(word) ?? 0) + weight)
      if (to === words) labels.add(word)
      else length += weight
    }
  }
  add(words, wordsOfName(parseToolName(tool.name)?.tool ?? tool.name), NAME_WEIGHT)
  add(words, wordsOfText(tool.title ?? ''), TITLE_WEIGHT)
  add(prose, wordsOfText(tool.description), 1)
  for (const { name, description } of argumentsOf(tool)) {
    add(prose, wordsOfName(name), ARGUMENT_NAME_WEIGHT)
    add(prose, wordsOfText(description), ARGUMENT_DESCRIPTION_WEIGHT)
  }
  const discount = Math.max(1 - LENGTH_DISCOUNT + (LENGTH_DISCOUNT * length) / USUAL_LENGTH, 1)
  for (const [word, weight] of prose) words.set(word, (words.get(word) ?? 0) + weight / discount)
  return words
}

const argumentsOf = ({ inputSchema }: ListedTool): { name: string; description: string }[] =>
  Object.entries((inputSchema.properties as Record<string, unknown> | undefined) ?? {})
    .slice(0, MAX_ARGUMENTS)
    .map(([name, schema]) => {
      const description = (schema as { description?: unknown } | null)?.description
      return { name, description: typeof description === 'string' ? description : '' }
    })

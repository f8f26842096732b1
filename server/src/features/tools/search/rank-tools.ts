import { synonymsOf } from './synonyms.ts'
import { tokenize } from './tokenize.ts'
import { createTurn, type Turn } from './turn.ts'

/** The text of a tool that a search compares with a query. */
export type ToolText = {
  name: string
  title: string
  description: string
  arguments: { name: string; description: string }[]
}

/** Weighted occurrences of a word: in the name and title, and in the description and arguments. */
type Occurrences = { inLabels: number; inProse: number }

export type ToolWords = { words: ReadonlyMap<string, Occurrences>; proseLength: number }

/** The words of a connector's name and keywords, with their weights. The tools of the connector share them. */
export type ConnectorWords = ReadonlyMap<string, number>

export type Ranked<Tool> = { tool: Tool; text: ToolWords; connector: ConnectorWords }

// A name is written to be found, so a word of it counts more than one of a description. A query that names a connector means it.
const NAME_WEIGHT = 2
const TITLE_WEIGHT = 1
const ARGUMENT_NAME_WEIGHT = 0.5
const ARGUMENT_DESCRIPTION_WEIGHT = 0.1
const CONNECTOR_NAME_WEIGHT = 5
const CONNECTOR_KEYWORD_WEIGHT = 1
const SYNONYM_WEIGHT = 0.7

// The usual parameters of BM25: how soon repetitions stop counting, and how much long texts are discounted.
const K1 = 1.2
const B = 0.6
/** A word of only a few tools is often a part of what the user writes about, such as “package” or “dentist”. */
const MAX_RARITY = 3.5

const MAX_ARGUMENTS = 100
const MAX_QUERY_WORDS = 32

export const wordsOfTool = (tool: ToolText): ToolWords => {
  const words = new Map<string, Occurrences>()
  const add = (text: string, field: keyof Occurrences, weight: number): void => {
    for (const word of tokenize(text)) {
      const known = words.get(word) ?? { inLabels: 0, inProse: 0 }
      known[field] += weight
      words.set(word, known)
    }
  }
  add(tool.name, 'inLabels', NAME_WEIGHT)
  add(tool.title, 'inLabels', TITLE_WEIGHT)
  add(tool.description, 'inProse', 1)
  for (const { name, description } of tool.arguments.slice(0, MAX_ARGUMENTS)) {
    add(name, 'inProse', ARGUMENT_NAME_WEIGHT)
    add(description, 'inProse', ARGUMENT_DESCRIPTION_WEIGHT)
  }
  return { words, proseLength: words.values().reduce((sum, { inProse }) => sum + inProse, 0) }
}

export const wordsOfConnector = (name: string, keywords: string[]): ConnectorWords =>
  new Map([
    ...keywords.flatMap(tokenize).map(word => [word, CONNECTOR_KEYWORD_WEIGHT] as const),
    ...tokenize(name).map(word => [word, CONNECTOR_NAME_WEIGHT] as const),
  ])

type Term = { word: string; weight: number }

/** Each word of the query with its synonyms. Only the best of them counts for a tool. */
const termsOf = (query: string): Term[][] =>
  [...new Set(tokenize(query))]
    .slice(0, MAX_QUERY_WORDS)
    .map(word => [
      { word, weight: 1 },
      ...synonymsOf(word).map(synonym => ({ word: synonym, weight: SYNONYM_WEIGHT })),
    ])

/** The tools that share a word with the query, best first, by BM25 over weighted fields. Equal scores keep their order. */
export const rankTools = async <Tool>(
  tools: Ranked<Tool>[],
  query: string,
): Promise<{ tool: Tool; score: number }[]> => {
  const terms = termsOf(query)
  const turn = createTurn()
  const matches = await matchTools(tools, new Set(terms.flat().map(({ word }) => word)), turn)
  const rarity = rarityOf(matches, tools.length)
  const ranked: { tool: Tool; score: number }[] = []
  for (const { tool, frequencies } of matches) {
    const scoreOf = ({ word, weight }: Term): number => {
      const frequency = frequencies.get(word)
      if (frequency === undefined) return 0
      return (weight * (rarity.get(word) ?? 0) * frequency * (K1 + 1)) / (frequency + K1)
    }
    ranked.push({
      tool,
      score: terms.reduce((sum, variants) => sum + Math.max(...variants.map(scoreOf)), 0),
    })
    if (turn.isLong()) await turn.next()
  }
  return ranked.toSorted((a, b) => b.score - a.score)
}

/** `frequencies`: the weighted occurrences of the queried words in the tool. */
type Match<Tool> = { tool: Tool; frequencies: Map<string, number> }

const matchTools = async <Tool>(
  tools: Ranked<Tool>[],
  queried: Set<string>,
  turn: Turn,
): Promise<Match<Tool>[]> => {
  const meanLength = tools.reduce((sum, { text }) => sum + text.proseLength, 0) / (tools.length || 1)
  const matches: Match<Tool>[] = []
  for (const { tool, text, connector } of tools) {
    const norm = 1 - B + (B * text.proseLength) / (meanLength || 1)
    const frequencies = new Map<string, number>()
    for (const word of queried) {
      const found = text.words.get(word)
      const ofConnector = connector.get(word) ?? 0
      if (found) frequencies.set(word, found.inLabels + found.inProse / norm + ofConnector)
      else if (ofConnector > 0) frequencies.set(word, ofConnector)
    }
    if (frequencies.size > 0) matches.push({ tool, frequencies })
    if (turn.isLong()) await turn.next()
  }
  return matches
}

/** The inverse document frequency of each word, limited. */
const rarityOf = (matches: Match<unknown>[], total: number): Map<string, number> => {
  const counts = new Map<string, number>()
  for (const { frequencies } of matches)
    for (const word of frequencies.keys()) counts.set(word, (counts.get(word) ?? 0) + 1)
  const rarity = (count: number): number => Math.log(1 + (total - count + 0.5) / (count + 0.5))
  return new Map(counts.entries().map(([word, count]) => [word, Math.min(rarity(count), MAX_RARITY)]))
}

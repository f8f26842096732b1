import { synonymsOf } from './synonyms.ts'
import { tokenize } from './tokenize.ts'
import { createTurn, type Turn } from './turn.ts'

/** The text of a tool that a search compares with a query. */
export type ToolText = {
  name: string
  title: string
  description: string
  /** Names of the arguments. */
  argumentNames: string[]
}

/** The words of a tool: `labels` of its name and title, weighted, and `prose` of its description and arguments. */
export type ToolWords = {
  labels: ReadonlyMap<string, number>
  prose: ReadonlyMap<string, number>
  proseLength: number
}

/** `connector`: the words of the connector's name and keywords, which its tools share. */
export type Ranked<Tool> = { tool: Tool; words: ToolWords; connector: ReadonlySet<string> }

// A name is written to be found, so one word of it counts as much as several of a description.
const NAME_WEIGHT = 2.5
const TITLE_WEIGHT = 1.5
const CONNECTOR_WEIGHT = 2.5
const ARGUMENT_WEIGHT = 0.5
const SYNONYM_WEIGHT = 0.6

// The usual parameters of BM25: how soon repetitions stop counting, and how much long texts are discounted.
const K1 = 1.2
const B = 0.6

const MAX_ARGUMENTS = 100
const MAX_QUERY_WORDS = 32

export const wordsOfTool = ({ name, title, description, argumentNames }: ToolText): ToolWords => {
  const labels = new Map<string, number>()
  add(labels, tokenize(name), NAME_WEIGHT)
  add(labels, tokenize(title), TITLE_WEIGHT)
  const prose = new Map<string, number>()
  add(prose, tokenize(description), 1)
  add(prose, argumentNames.slice(0, MAX_ARGUMENTS).flatMap(tokenize), ARGUMENT_WEIGHT)
  return { labels, prose, proseLength: prose.values().reduce((sum, weight) => sum + weight, 0) }
}

const add = (counts: Map<string, number>, words: string[], weight: number): void => {
  for (const word of words) counts.set(word, (counts.get(word) ?? 0) + weight)
}

type Term = { word: string; weight: number }

/** A word of the query with its synonyms. Only the best of them counts for a tool. */
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
  const meanLength = tools.reduce((sum, { words }) => sum + words.proseLength, 0) / (tools.length || 1)
  const turn = createTurn()
  const rarity = await rarityOf(tools, new Set(terms.flat().map(({ word }) => word)), turn)
  const ranked: { tool: Tool; score: number }[] = []
  for (const { tool, words, connector } of tools) {
    const norm = 1 - B + (B * words.proseLength) / (meanLength || 1)
    const scoreOf = ({ word, weight }: Term): number => {
      const frequency =
        (words.labels.get(word) ?? 0) +
        (connector.has(word) ? CONNECTOR_WEIGHT : 0) +
        (words.prose.get(word) ?? 0) / norm
      return (weight * (rarity.get(word) ?? 0) * frequency * (K1 + 1)) / (frequency + K1)
    }
    const score = terms.reduce((sum, variants) => sum + Math.max(...variants.map(scoreOf)), 0)
    if (score > 0) ranked.push({ tool, score })
    await turn.yieldIfLong()
  }
  return ranked.toSorted((a, b) => b.score - a.score)
}

/** The inverse document frequency of each word. */
const rarityOf = async (
  tools: Ranked<unknown>[],
  queried: Set<string>,
  turn: Turn,
): Promise<Map<string, number>> => {
  const counts = new Map<string, number>()
  for (const { words, connector } of tools) {
    for (const word of queried)
      if (words.labels.has(word) || words.prose.has(word) || connector.has(word))
        counts.set(word, (counts.get(word) ?? 0) + 1)
    await turn.yieldIfLong()
  }
  const rarity = (count: number): number => Math.log(1 + (tools.length - count + 0.5) / (count + 0.5))
  return new Map(counts.entries().map(([word, count]) => [word, rarity(count)]))
}

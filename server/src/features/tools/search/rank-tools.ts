import type { ListedTool } from '../listing/listed-tool.ts'
import type { ConnectorIndex } from './connector-index.ts'
import type { Query } from './read-query.ts'
import type { Turn } from './turn.ts'

/** `bonus`: what the query says about the connector. `factor`: of the scores of all its tools. */
export type RankedConnector = { index: ConnectorIndex; bonus: number; factor: number }

export type RankedTool = { slug: string; tool: ListedTool; score: number }

/** The usual parameter of BM25: how soon repetitions stop counting. */
const K1 = 1.2
/** A word of only a few tools is often a part of what the user writes about, such as “package” or “dentist”. */
const MAX_RARITY = 3.5
/** For a tool that reads if the query asks a question, or writes if it gives an instruction. */
const EFFECT_SCORE = 2
/** For a tool that lists or searches if the query asks a question: others need an ID, which is rarely known. */
const LIST_SCORE = 0.7
const LISTS = /__(?:list|search|find|query)(?![a-z])/

/**
 * The tools that share a word with the query, or whose connector it mentions, best first: BM25 over weighted fields, in which the best
 * of the words that a term may mean counts. Equal scores keep their order.
 */
export const rankTools = async (
  connectors: RankedConnector[],
  { terms, effect }: Query,
  turn: Turn,
): Promise<RankedTool[]> => {
  const rarity = rarityIn(connectors.map(({ index }) => index))
  const weighted = terms.map(term =>
    [...term].map(([word, weight]) => ({ word, weight: weight * rarity(word) })),
  )
  const ranked: RankedTool[] = []
  for (const { index, bonus, factor } of connectors) {
    const scores = new Float64Array(index.tools.length).fill(bonus)
    for (const words of weighted) {
      addBest(scores, words, index)
      if (turn.isLong()) await turn.next()
    }
    for (const [number, tool] of index.tools.entries()) {
      const score = scores[number] as number
      if (score === 0) continue
      const fits = effect !== null && (effect === 'read') === (tool.annotations.readOnlyHint === true)
      ranked.push({
        slug: index.slug,
        tool,
        score:
          (score +
            (fits ? EFFECT_SCORE : 0) +
            (effect === 'read' && LISTS.test(tool.name) ? LIST_SCORE : 0)) *
          factor,
      })
    }
  }
  return ranked.toSorted((a, b) => b.score - a.score)
}

const addBest = (
  scores: Float64Array,
  words: { word: string; weight: number }[],
  { postings }: ConnectorIndex,
): void => {
  const best = new Map<number, number>()
  for (const { word, weight } of words)
    for (const { tool, frequency } of postings.get(word) ?? []) {
      const score = (weight * frequency * (K1 + 1)) / (frequency + K1)
      if (score > (best.get(tool) ?? 0)) best.set(tool, score)
    }
  for (const [tool, score] of best) scores[tool] = (scores[tool] as number) + score
}

/** The inverse document frequency of a word, limited. */
const rarityIn = (indexes: ConnectorIndex[]): ((word: string) => number) => {
  const total = indexes.reduce((sum, { tools }) => sum + tools.length, 0)
  const known = new Map<string, number>()
  return word => {
    const cached = known.get(word)
    if (cached !== undefined) return cached
    const count = indexes.reduce((sum, { postings }) => sum + (postings.get(word)?.length ?? 0), 0)
    const rarity = Math.min(Math.log(1 + (total - count + 0.5) / (count + 0.5)), MAX_RARITY)
    known.set(word, rarity)
    return rarity
  }
}

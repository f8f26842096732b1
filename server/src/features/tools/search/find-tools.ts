import { parseToolName } from '../admission/tool-names.ts'
import type { ListedTool } from '../listing/listed-tool.ts'
import { type ConnectorIndex, indexConnector } from './connector-index.ts'
import { correctSpelling } from './correct-spelling.ts'
import { everydayWords } from './everyday-words.ts'
import { type ConnectorNames, findMentions, type Mention, namingOf } from './named-connectors.ts'
import { type RankedTool, rankTools } from './rank-tools.ts'
import { isStopWord, readQuery, type Term } from './read-query.ts'
import { stem, wordsOfText } from './tokenize.ts'
import { createTurn } from './turn.ts'

type Search = { query: string; connector: string | null; limit: number }

/** What is known of the connectors of a list. `isLinked`: the user can call its tools without linking an account first. */
export type SearchedConnectors = {
  namesOf: (slug: string) => ConnectorNames
  isLinked: (slug: string) => boolean
}

const MAX_QUERY_WORDS = 40

/** How much of their score the tools of connectors keep that the user has not linked. */
const UNLINKED_FACTOR = 0.7
/** How much the tools of others keep if the query names a connector. */
const UNNAMED_FACTOR = 0.4
/** The words that name a connector rarely describe the tool as well. */
const NAME_WORD_WEIGHT = 0.3

/**
 * The best matches among the tools, best first. Tools of connectors that the user has linked come before equal ones of others, and
 * tools that only request a link come last.
 */
export const findTools = async (
  { namesOf, isLinked }: SearchedConnectors,
  tools: ListedTool[],
  { query, connector, limit }: Search,
): Promise<ListedTool[]> => {
  const turn = createTurn()
  const indexes: ConnectorIndex[] = []
  for (const [slug, group] of Map.groupBy(tools, ({ name }) => parseToolName(name)?.slug ?? ''))
    if (connector === null || slug === connector) indexes.push(await indexConnector(slug, group, turn))
  const namings = new Map(indexes.map(({ slug }) => [slug, namingOf(slug, namesOf(slug))]))

  const said = correctWords(
    wordsOfText(query).slice(0, MAX_QUERY_WORDS),
    indexes,
    [...namings.values()].flatMap(({ name }) => name),
  )
  const { terms, effect } = readQuery(query, said)
  const isOrdinary = (word: string): boolean =>
    indexes.some(({ slug, labels }) => labels.has(stem(word)) && !namings.get(slug)?.name.includes(word))
  const mentions = findMentions(namings, { query, said, terms, isOrdinary })
  const named = new Set(mentions.entries().flatMap(([slug, { isNamed }]) => (isNamed ? [slug] : [])))
  const ranked = await rankTools(
    indexes
      .filter(({ isPlaceholder }) => !isPlaceholder)
      .map(index => ({
        index,
        bonus: mentions.get(index.slug)?.score ?? 0,
        factor:
          (isLinked(index.slug) ? 1 : UNLINKED_FACTOR) *
          (named.size === 0 || named.has(index.slug) ? 1 : UNNAMED_FACTOR),
      })),
    { terms: discountNames(terms, mentions), effect },
    turn,
  )
  const found = discountRepetitions(ranked).map(({ tool }) => tool)
  return withPlaceholders(found, indexes, { mentions, named, limit, isOnly: connector !== null })
}

/** Of words that are corrected to the name of a connector, and to a word of the vocabulary, which has more words like others. */
const MIN_NAME_LENGTH = 4
const MIN_WORD_LENGTH = 6

/** Words that neither a tool nor the vocabulary contains are probably misspelled, or names. */
const correctWords = (said: string[], indexes: ConnectorIndex[], names: string[]): string[] => {
  const isKnown = (word: string): boolean =>
    isStopWord(word) ||
    everydayWords.has(word) ||
    names.includes(word) ||
    indexes.some(({ postings }) => postings.has(stem(word)))
  return said.map(word =>
    isKnown(word)
      ? word
      : (correctSpelling(word, names, MIN_NAME_LENGTH) ??
        correctSpelling(word, everydayWords, MIN_WORD_LENGTH) ??
        word),
  )
}

const discountNames = (terms: Term[], mentions: Map<string, Mention>): Term[] => {
  const names = new Set(mentions.values().flatMap(({ isNamed, words }) => (isNamed ? words.map(stem) : [])))
  return terms.map(term =>
    term.entries().some(([word, weight]) => weight === 1 && names.has(word))
      ? new Map(term.entries().map(([word, weight]) => [word, weight * NAME_WORD_WEIGHT]))
      : term,
  )
}

/** How much of its score a repetition keeps. */
const REPETITION_FACTOR = 0.5
/** Far more than a search returns. */
const MAX_RANKED = 200

/**
 * Connectors of one system have the same tools, such as `jira` and `jira-api-token`. A repetition of a better match would take the
 * place of a different tool.
 */
const discountRepetitions = (found: RankedTool[]): RankedTool[] => {
  const seen = new Set<string>()
  return found
    .slice(0, MAX_RANKED)
    .map(ranked => {
      const definition = `${parseToolName(ranked.tool.name)?.tool} ${ranked.tool.description}`
      const isRepetition = seen.has(definition)
      seen.add(definition)
      return isRepetition ? { ...ranked, score: ranked.score * REPETITION_FACTOR } : ranked
    })
    .toSorted((a, b) => b.score - a.score)
}

type Found = { mentions: Map<string, Mention>; named: Set<string>; limit: number; isOnly: boolean }

/**
 * Tools that only request a link come last. One of them gets the last place if the query names its connector, and no other connector
 * of that name has tools.
 */
const withPlaceholders = (
  found: ListedTool[],
  indexes: ConnectorIndex[],
  { mentions, named, limit, isOnly }: Found,
): ListedTool[] => {
  const placeholders = indexes
    .filter(({ isPlaceholder }) => isPlaceholder)
    .map(({ slug, tools }) => ({ slug, tools, score: mentions.get(slug)?.score ?? 0 }))
    .filter(({ score }) => isOnly || score > 0)
    .toSorted((a, b) => b.score - a.score)
  const withTools = new Set(
    indexes.flatMap(({ slug, isPlaceholder }) =>
      named.has(slug) && !isPlaceholder ? (mentions.get(slug)?.words ?? []) : [],
    ),
  )
  const wanted = placeholders
    .filter(({ slug }) => named.has(slug) && !mentions.get(slug)?.words.some(word => withTools.has(word)))
    .slice(0, 1)
  const toolsOf = (groups: { tools: ListedTool[] }[]): ListedTool[] => groups.flatMap(({ tools }) => tools)
  return [
    ...found.slice(0, limit - wanted.length),
    ...toolsOf(wanted),
    ...toolsOf(placeholders.filter(other => !wanted.includes(other))),
  ].slice(0, limit)
}

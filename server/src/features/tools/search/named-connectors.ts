import type { Term } from './read-query.ts'
import { stem, wordsOfName, wordsOfText } from './tokenize.ts'

/** How people refer to a connector. */
export type ConnectorNames = { name: string; keywords: string[] }

/** `name`: the words of its name. `keywords`: stemmed, each a word or several. */
export type Naming = { name: string[]; keywords: string[][] }

/** Words of names that describe a variant of a product, such as "Jira (API token)". */
const VARIANT_WORDS = new Set(
  `account and api app based certificate com for id hosted key managed mcp of online pair self server service the to token`.split(
    ' ',
  ),
)

/** Names rarely change, and a search reads those of all connectors. */
const known = new Map<string, Naming>()
const MAX_KNOWN = 1_000

export const namingOf = (slug: string, { name, keywords }: ConnectorNames): Naming => {
  const key = JSON.stringify([slug, name, keywords])
  const cached = known.get(key)
  if (cached) return cached
  const words = new Set([...wordsOfName(slug), ...wordsOfText(name)])
  const naming = {
    name: [...words].filter(word => !VARIANT_WORDS.has(word)),
    keywords: keywords.map(keyword => wordsOfText(keyword).map(stem)),
  }
  if (known.size >= MAX_KNOWN) known.clear()
  known.set(key, naming)
  return naming
}

const NAME_SCORE = 7
/** Of a word such as “teams”, which may mean the connector or what other connectors have. */
const ORDINARY_WEIGHT = 0.5
const KEYWORD_SCORE = 2.5
/** A synonym of a keyword says less. */
const SYNONYM_SCORE = 1.25

/** `words`: those of its name that the query contains. `isNamed`: they are enough to mean this product. */
export type Mention = { words: string[]; isNamed: boolean; score: number }

/** `isOrdinary`: whether a word of names also occurs in the names of tools of other connectors. */
type Asked = { query: string; said: string[]; terms: Term[]; isOrdinary: (word: string) => boolean }

/** How a query refers to each connector, by slug. */
export const findMentions = (
  namings: ReadonlyMap<string, Naming>,
  { query, said, terms, isOrdinary }: Asked,
): Map<string, Mention> => {
  const words = new Set(said)
  const capitalized = new Set([...query.matchAll(CAPITALIZED)].flatMap(([word]) => wordsOfText(word)))
  const found = new Map(namings.entries().map(([slug, { name }]) => [slug, matchName(name, words)]))
  const products = new Map<string, Set<string>>()
  for (const [slug, matching] of found)
    for (const word of matching)
      products.set(word, (products.get(word) ?? new Set()).add(productOf(slug, namings)))
  const weights = new Map(
    products
      .entries()
      .map(([word, { size }]) => [
        word,
        (isOrdinary(word) && !capitalized.has(word) ? ORDINARY_WEIGHT : 1) / size,
      ]),
  )
  const stems = said.map(stem)
  const meant = new Set(terms.flatMap(term => [...term.keys()]))
  return new Map(
    namings.entries().map(([slug, { name, keywords }]) => {
      const matching = found.get(slug) ?? []
      const isWhole = matching.length > 1 && matching.length === name.length
      const share = isWhole ? 1 : matching.reduce((sum, word) => sum + (weights.get(word) ?? 0), 0)
      const score = NAME_SCORE * Math.min(share, 1) + scoreKeywords(keywords, stems, meant)
      return [slug, { words: matching, isNamed: share >= 1, score }]
    }),
  )
}

/** A word with a capital letter that does not begin the query is probably a name. */
const CAPITALIZED = /(?<=\S\s+)\p{Lu}[\p{L}\p{N}]+/gu

/** Also a plural form of a word, and the singular form if another word of the name was said: "the google doc". */
const matchName = (name: string[], said: Set<string>): string[] => {
  const exact = name.filter(word => said.has(word) || said.has(`${word}s`))
  return exact.length === 0
    ? exact
    : name.filter(word => exact.includes(word) || (word.endsWith('s') && said.has(word.slice(0, -1))))
}

const scoreKeywords = (keywords: string[][], stems: string[], meant: Set<string>): number => {
  if (keywords.some(keyword => containsInOrder(stems, keyword))) return KEYWORD_SCORE
  return keywords.some(([word, ...others]) => others.length === 0 && meant.has(word ?? ''))
    ? SYNONYM_SCORE
    : 0
}

const containsInOrder = (stems: string[], words: string[]): boolean =>
  stems.some((_, at) => words.every((word, index) => stems[at + index] === word))

/** Variants of a product have its slug with an ending, such as `jira-api-token`. */
const productOf = (slug: string, namings: ReadonlyMap<string, Naming>): string => {
  for (let end = slug.indexOf('-'); end !== -1; end = slug.indexOf('-', end + 1))
    if (namings.has(slug.slice(0, end))) return slug.slice(0, end)
  return slug
}

import MiniSearch, { type SearchOptions, type SearchResult } from 'minisearch'

/** How VitePress builds the index. The text is stored too, for the snippets. */
export const indexOptions = {
  fields: ['title', 'titles', 'text'],
  storeFields: ['title', 'titles', 'text'],
}

/** One section of a page. */
export type Section = Pick<SearchResult, 'terms' | 'match'> & {
  /** Address without the base, such as `/guides/explain#reading-the-answer`. */
  id: string
  title: string
  /** The page and the headings above this one. */
  titles: string[]
  text: string
}

/** Pages that explain come before those that are looked up by name, and decisions about the project come last. */
const BOOSTS: [prefix: string, factor: number][] = [
  ['/troubleshooting', 1.8],
  ['/get-started/', 1.5],
  ['/guides/', 1.4],
  ['/concepts/', 1.4],
  ['/frameworks/', 1.2],
  ['/security/', 1.2],
  ['/errors', 0.8],
  ['/reference/cli', 0.6],
  ['/reference/events/', 0.6],
  ['/api/', 0.6],
  ['/project/', 0.2],
]

/** Of the section below the title of a page, which says what the page is about. */
const FIRST_SECTION_BOOST = 1.4

const boostOf = (id: string, _term: string, stored?: Record<string, unknown>): number => {
  const page = BOOSTS.find(([prefix]) => id.startsWith(prefix))?.[1] ?? 1
  const isFirst = (stored?.['titles'] as string[] | undefined)?.length === 0
  return isFirst ? page * FIRST_SECTION_BOOST : page
}

/** Words of questions that do not narrow a search. */
const STOP_WORDS = new Set(
  'a an and are as at be by can cannot do does for from get how i if in is it its me my not of on or our should that the this to use was we what when where which who why will with without you your'.split(
    ' ',
  ),
)

/** The end of a word is dropped, because the rest finds every form: "failing" finds "fails" and "failed". */
const shorten = (word: string): string =>
  word.length > 5 ? word.replace(/(?:ing|ed|es|s)$/, '') : word.replace(/(?<=...)s$/, '')

const toTerm = (word: string): string | null => {
  const lower = word.toLowerCase()
  return STOP_WORDS.has(lower) ? null : shorten(lower)
}

const searchOptions: SearchOptions = {
  boost: { title: 4, titles: 2, text: 1 },
  boostDocument: boostOf,
  fuzzy: term => (term.length > 4 ? 0.2 : false),
  prefix: term => term.length > 2,
  processTerm: toTerm,
}

export const openIndex = (json: string): MiniSearch => MiniSearch.loadJSON(json, indexOptions)

const MAX_RESULTS = 12
const MAX_SECTIONS_OF_PAGE = 2

/** The best sections, with at most two of a page: those with every word of the query, then those with some. */
export const search = (index: MiniSearch, query: string): Section[] => {
  const found = (combineWith: 'AND' | 'OR') => index.search(query, { ...searchOptions, combineWith })
  const best = found('AND')
  const ids = new Set(best.map(({ id }) => id))
  const counts = new Map<string, number>()
  return [...best, ...found('OR').filter(({ id }) => !ids.has(id))]
    .filter(({ id }) => {
      const [page = ''] = id.split('#')
      const count = (counts.get(page) ?? 0) + 1
      counts.set(page, count)
      return count <= MAX_SECTIONS_OF_PAGE
    })
    .slice(0, MAX_RESULTS) as unknown as Section[]
}

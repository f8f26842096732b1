export type Part = { text: string; isMatch: boolean }

const LENGTH = 170
/** Text before the first match. */
const LEAD = 50

const ENTITIES: Record<string, string> = {
  lt: '<',
  gt: '>',
  amp: '&',
  quot: '"',
  '#39': "'",
  '#123': '{',
  nbsp: ' ',
}

/** The index contains HTML without its tags. */
export const toText = (html: string): string =>
  html
    .replace(/&([a-z]+|#\d+);/g, (entity, name: string) => ENTITIES[name] ?? entity)
    .replace(/[\s\u200b]+/g, ' ')
    .trim()

const escapeForPattern = (term: string): string => term.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')

/** The words of a text that begin with one of the terms. */
const patternOf = (terms: string[]): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(${terms.map(escapeForPattern).join('|')})[\\p{L}\\p{N}]*`, 'giu')

export const markMatches = (html: string, terms: string[]): Part[] => {
  const text = toText(html)
  if (terms.length === 0) return [{ text, isMatch: false }]
  const parts: Part[] = []
  let end = 0
  for (const { index, 0: match } of text.matchAll(patternOf(terms))) {
    parts.push({ text: text.slice(end, index), isMatch: false }, { text: match, isMatch: true })
    end = index + match.length
  }
  return [...parts, { text: text.slice(end), isMatch: false }].filter(part => part.text !== '')
}

/** The part of a section around its first match. */
export const makeSnippet = (html: string, terms: string[]): Part[] => {
  const text = toText(html)
  const first = terms.length > 0 ? text.search(patternOf(terms)) : 0
  const start = first > LEAD ? text.indexOf(' ', first - LEAD) + 1 : 0
  const cut = text.slice(start, start + LENGTH)
  const isWhole = start + LENGTH >= text.length
  const shown = isWhole ? cut : `${cut.slice(0, cut.lastIndexOf(' '))} …`
  return markMatches(start > 0 ? `… ${shown}` : shown, terms)
}

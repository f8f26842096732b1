import type { Sentence } from './sentence.ts'
import type { Words } from './words.ts'

const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ACCENTED = 'ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽåƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýž'
const LOOKALIKES = new Map(Array.from(PLAIN, (letter, i) => [letter, ACCENTED[i] ?? letter]))

const GROWTH = 0.35

/** Fields that are not translated: those read by programs, and the language's own name. */
const NOT_PROSE = new Set<string>(['language', 'direction', 'languageName'] satisfies (keyof Words)[])

/**
 * A pseudo-locale: text that a page shows without ⟦…⟧ is hard-coded outside of the catalogs, and text that does not fit
 * would not fit in German either.
 */
export const pseudo = (words: Words): Words => walk(words) as Words

function walk(value: unknown): unknown {
  if (typeof value === 'string') return disguise(value)
  if (typeof value === 'function') return (...names: unknown[]) => walk(value(...names))
  if (isSentence(value)) return { texts: value.texts.map(disguise), names: value.names }
  return Object.fromEntries(
    Object.entries(value as object).map(([key, inner]) => [key, NOT_PROSE.has(key) ? inner : walk(inner)]),
  )
}

const isSentence = (value: unknown): value is Sentence =>
  typeof value === 'object' && value !== null && 'texts' in value && 'names' in value

/** Doubles letters evenly, so that text grows as in a longer language and words can still wrap. */
function disguise(text: string): string {
  if (text === '') return ''
  let owed = 0.5
  const longer = Array.from(text, character => {
    owed += GROWTH
    const twin = LOOKALIKES.get(character) ?? character
    if (owed < 1 || !/\p{L}/u.test(character)) return twin
    owed -= 1
    return twin + twin
  })
  return `⟦${longer.join('')}⟧`
}

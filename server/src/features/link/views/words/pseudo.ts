import type { Sentence } from './sentence.ts'
import type { Words } from './words.ts'

const PLAIN = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
const ACCENTED = 'ÅƁÇÐÉƑĜĤÎĴĶĻṀÑÖÞǪŔŠŢÛṼŴẊÝŽåƀçðéƒĝĥîĵķļɱñöþǫŕšţûṽŵẋýž'
const LOOKALIKES = new Map(Array.from(PLAIN, (letter, i) => [letter, ACCENTED[i] ?? letter]))

const GROWTH = 0.35

/** What a program reads, and the name a language has for itself, which is the same in every language. */
const NOT_PROSE = new Set<string>(['language', 'direction', 'languageName'] satisfies (keyof Words)[])

/**
 * A catalogue in no language: whatever a page shows without ⟦…⟧ is written outside the catalogues, and whatever does
 * not fit will not fit in German either.
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

/** Letters are doubled evenly, so that a text grows as a longer language does and its words can still be broken. */
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

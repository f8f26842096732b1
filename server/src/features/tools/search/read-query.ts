import { type Effect, type Phrase, phrasesFrom, synonymsOf } from './everyday-words.ts'
import { stem } from './tokenize.ts'

/** The stemmed words of tools that a word or phrase of a query may mean, with their weights. The query's own word has weight 1. */
export type Term = ReadonlyMap<string, number>

/** `effect`: whether the query asks for something to be read or to be changed, if it can be recognized. */
export type Query = { terms: Term[]; effect: Effect | null }

/** Words without a meaning of their own, unless they are part of a phrase. */
const STOP_WORDS = new Set(
  `a about after already am an and any are as at back be been but by can could d did do does don down for from going got had has
   have her hers him his how i if in into is it its just let ll m me mine my need not of off on or our ours out over please re s
   says she so some still t than that the their them then there these they this those to up us ve want was we were what when
   where which who whom why will with would yet you your he go`.split(/\s+/),
)
export const isStopWord = (word: string): boolean => STOP_WORDS.has(word)

const QUESTION_WORDS = new Set(
  'am any are did do does had has have how is was were what when where which who whom whose why'.split(' '),
)

const SYNONYM_WEIGHT = 0.7
/** Of a word after "don’t". */
const NEGATED_WEIGHT = 0.3
const FORM_WEIGHT = 0.6
/** Words that may stand inside a phrase, between two of its words. */
const MAX_GAP = 3

/** What the form of a word says about it: an address, a channel, the key of an issue, a cell. */
const FORMS: [form: RegExp, means: string[]][] = [
  [/\S@\S+\.\S/, ['email', 'mail']],
  [/(?:^|\s)#[a-z]/i, ['channel']],
  [/\b[A-Z]{2,10}-\d+\b/, ['issue', 'ticket']],
  [/\b[A-Z]{1,2}\d{1,4}\b/, ['cell', 'value']],
]

/** `said`: the words of `query`, with corrected spelling. */
export const readQuery = (query: string, said: string[]): Query => {
  const words = said.map(stem)
  const used = new Set<number>()
  const terms: Term[] = []
  const effects: Effect[] = []
  for (const at of words.keys()) {
    if (used.has(at)) continue
    const found = findPhrases(words, at, used, isVerbAt(said, at))
    const isPhrase = (found[0]?.at.length ?? 0) > 1
    if (isPhrase) for (const part of found[0]?.at ?? []) used.add(part)
    const own = isPhrase || isStopWord(said[at] as string) ? null : (words[at] as string)
    const weight = isNegated(said, at) ? NEGATED_WEIGHT : 1
    terms.push(
      ...termsOf(
        own,
        found.map(({ phrase }) => phrase),
        weight,
      ),
    )
    if (weight === 1) effects.push(...found.flatMap(({ phrase: { effect } }) => effect ?? []))
  }
  for (const [form, means] of FORMS)
    if (form.test(query)) terms.push(new Map(means.map(word => [stem(word), FORM_WEIGHT])))
  return { terms, effect: QUESTION_WORDS.has(said[0] ?? '') ? 'read' : (effects[0] ?? null) }
}

/** A term for each group of the phrases. The word itself and its synonyms belong to the last one, which names an object. */
const termsOf = (own: string | null, phrases: Phrase[], weight: number): Term[] => {
  const terms: Map<string, number>[] = []
  const add = (group: number, word: string, value: number): void => {
    const term = terms[group] ?? new Map<string, number>()
    terms[group] = term.set(word, Math.max(value * weight, term.get(word) ?? 0))
  }
  for (const { means, weight: value } of phrases)
    for (const [group, words] of means.entries()) for (const word of words) add(group, word, value)
  if (own !== null) {
    const last = Math.max(terms.length - 1, 0)
    add(last, own, 1)
    for (const synonym of synonymsOf(own)) add(last, synonym, SYNONYM_WEIGHT)
  }
  return terms
}

/** "Don’t send it" and "never send it", but not "who hasn’t signed". */
const isNegated = (said: string[], at: number): boolean =>
  /^(?:.* )?(?:never|without|don t|do not)$/.test(said.slice(Math.max(at - 2, 0), at).join(' '))

/** Whether the word at this place is where an instruction has its verb. */
const isVerbAt = (said: string[], at: number): boolean =>
  at === 0 ||
  /^(?:.* )?(?:please|you|and|then|now|just|also|lets|(?:want|need|like|have|going|wish) to)$/.test(
    said.slice(Math.max(at - 2, 0), at).join(' '),
  )

type Found = { phrase: Phrase; at: number[] }

/** The longest phrases that begin at a word. */
const findPhrases = (words: string[], start: number, used: Set<number>, isVerb: boolean): Found[] => {
  const found: Found[] = []
  for (const phrase of phrasesFrom(words[start] as string)) {
    const at = phrase.isVerb && !isVerb ? null : placesOf(phrase, words, start, used)
    if (at) found.push({ phrase, at })
  }
  const longest = Math.max(0, ...found.map(({ at }) => at.length))
  return found.filter(({ at }) => at.length === longest)
}

const placesOf = (
  { words: wanted }: Phrase,
  words: string[],
  start: number,
  used: Set<number>,
): number[] | null => {
  const at = [start]
  for (const word of wanted.slice(1)) {
    const from = (at.at(-1) as number) + 1
    const next = words
      .slice(from, from + MAX_GAP + 1)
      .findIndex((other, n) => other === word && !used.has(from + n))
    if (next === -1) return null
    at.push(from + next)
  }
  return at
}

/** Longer texts are truncated, which bounds the work and the memory for one tool. */
const MAX_TEXT_LENGTH = 4_000
const MAX_WORD_LENGTH = 40

/** Words that are also written in two parts. */
const COMPOUNDS = /\b(to|e)-(dos?|mails?|mailed|mailing)\b/g

/** The words of a text in lower case. The name of a product such as "SharePoint" is one word, and a pair such as "pull request" too. */
export const wordsOfText = (text: string): string[] =>
  joinPairs(
    (
      text
        .slice(0, MAX_TEXT_LENGTH)
        .normalize('NFKC')
        .toLowerCase()
        .replace(COMPOUNDS, '$1$2')
        .match(/[\p{L}\p{N}]+/gu) ?? []
    ).filter(word => word.length <= MAX_WORD_LENGTH),
  )

/** The words of an identifier in `snake_case`, `kebab-case` or `camelCase`. */
export const wordsOfName = (name: string): string[] =>
  wordsOfText(name.replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2').replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2'))

/** Verbs and nouns whose forms follow no rule. */
const IRREGULAR = new Map(
  `begin began begun, blow blew blown, break broke broken, bring brought, build built, buy bought, catch caught, child children,
   choose chose chosen, come came, do did does doing done, draw drew drawn, fall fell fallen, find found, forget forgot forgotten,
   freeze froze frozen, get got gotten, give gave given, go goes went gone, grow grew grown, hear heard, hold held, keep kept,
   know knew known, leave left, lend lent, lose lost, make made, meet met, pay paid, person people, ring rang rung, run ran,
   say said, see saw seen, sell sold, send sent, show shown, speak spoke spoken, spend spent, steal stole stolen, stick stuck,
   take took taken, tell told, think thought, throw threw thrown, wake woke woken, win won, write wrote written`
    .split(',')
    .flatMap(line => {
      const [word = '', ...forms] = line.trim().split(/\s+/)
      return forms.map(form => [form, word] as const)
    }),
)
/** Nouns that would be taken for forms of "mail" and "list". */
const NOUN = /^(mailing|listing)s?$/

const VOWEL = /[aeiouy]/

/**
 * Reduces inflected English words to a common form: `issues`, `issue` → `issu`. It is not a dictionary form; both sides of a
 * comparison are reduced.
 */
export const stem = (inflected: string): string => {
  const noun = NOUN.exec(inflected)?.[1]
  if (noun !== undefined) return noun
  const word = IRREGULAR.get(inflected) ?? inflected
  if (!/^[a-z]{4,}$/.test(word)) return word
  const base = withoutEnding(withoutPlural(word))
  return base.length > 4 && base.endsWith('e') ? base.slice(0, -1) : base
}

const withoutPlural = (word: string): string => {
  if (/(?:ss|us|is)$/.test(word) || !word.endsWith('s')) return word
  if (word.endsWith('ies')) return word.length > 4 ? `${word.slice(0, -3)}y` : word.slice(0, -1)
  return /(?:ss|x|ch|sh|zz)es$/.test(word) ? word.slice(0, -2) : word.slice(0, -1)
}

const withoutEnding = (word: string): string => {
  const base = /^(.{3,})(?:ing|ed)$/.exec(word)?.[1]
  if (base === undefined || !VOWEL.test(base)) return word
  return /([bdgmnprt])\1$/.test(base) ? base.slice(0, -1) : base
}

/** Words that mean something else together than alone: a pull request is not a request, and a balance sheet no sheet. */
const PAIRS = new Map(
  'balance sheet,data source,help center,log in,merge request,on call,pull request,sign in,virtual machine'
    .split(',')
    .map(pair => [pair.split(' ').map(stem).join(' '), pair.replace(' ', '')]),
)

const joinPairs = (words: string[]): string[] => {
  const joined: string[] = []
  for (const word of words) {
    const pair = PAIRS.get(`${stem(joined.at(-1) ?? '')} ${word.replace(/s$/, '')}`)
    if (pair === undefined) joined.push(word)
    else joined[joined.length - 1] = pair
  }
  return joined
}

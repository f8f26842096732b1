/** Words without a meaning of their own in a request or a description. */
const STOP_WORDS = new Set(
  `a an and any are as at be been but by can could did do does for from had has have hers him his how i if in into is it
   its just let ll me my of on or our ours please s she so some than that the their them then there these they this those to
   us was we were what when where which who whom why will with would you your he her want need d m re t ve am about`.split(
    /\s+/,
  ),
)

/** Longer texts are truncated, which bounds the work and the memory for one tool. */
const MAX_TEXT_LENGTH = 4_000
const MAX_WORD_LENGTH = 40

/** The words of a text, a `snake_case` or a `camelCase` name, stemmed and without stop words. */
export const tokenize = (text: string): string[] =>
  (
    text
      .slice(0, MAX_TEXT_LENGTH)
      .normalize('NFKC')
      .replace(/(\p{Ll}|\p{N})(\p{Lu})/gu, '$1 $2')
      .replace(/(\p{Lu})(\p{Lu}\p{Ll})/gu, '$1 $2')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu) ?? []
  )
    .filter(word => !STOP_WORDS.has(word) && word.length <= MAX_WORD_LENGTH)
    .map(stem)

const VOWEL = /[aeiouy]/

/**
 * Reduces inflected English words to a common form: `issues`, `issue` → `issu`. It is not a dictionary form; both sides of a
 * comparison are reduced.
 */
export const stem = (word: string): string => {
  if (!/^[a-z]{4,}$/.test(word)) return word
  const singular = withoutPlural(word)
  const base = withoutEnding(singular)
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

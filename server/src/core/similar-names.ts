/** Characters that are compared to order names in about half a millisecond. Further names keep their order. */
const MAX_RANKED_CHARACTERS = 5_000
/** Enough for the names of a thousand tools; about three milliseconds. */
const MAX_SEARCHED_CHARACTERS = 30_000
/** Share of letter pairs that two names have in common, from which they count as similar. */
const MIN_SIMILARITY = 0.5

/** The known names in order of their similarity to the given one. Names may come from outside, so the cost is bounded. */
export const rankNames = (given: string, known: readonly string[]): string[] =>
  scoreNames(given, known, MAX_RANKED_CHARACTERS).map(({ name }) => name)

/** The known names that are similar to the given one, the most similar first. */
export const similarNames = (given: string, known: readonly string[], limit: number): string[] =>
  scoreNames(given, known, MAX_SEARCHED_CHARACTERS)
    .filter(({ score }) => score >= MIN_SIMILARITY)
    .slice(0, limit)
    .map(({ name }) => name)

/** A name without case and separators, which clients change when they rewrite a name. */
export const foldName = (name: string): string => name.toLowerCase().replace(/[^a-z0-9]/g, '')

type Scored = { name: string; score: number }

const scoreNames = (given: string, known: readonly string[], maxCharacters: number): Scored[] => {
  const wanted = pairsOf(given)
  let left = maxCharacters
  return known
    .map((name): Scored => {
      left -= Math.min(name.length, MAX_LENGTH)
      return { name, score: left < 0 ? 0 : similarity(wanted, pairsOf(name)) }
    })
    .toSorted((a, b) => b.score - a.score)
}

const MAX_LENGTH = 128

/** Pairs of adjacent letters and digits. */
const pairsOf = (name: string): Set<string> => {
  const padded = ` ${foldName(name.slice(0, MAX_LENGTH))} `
  return new Set(Array.from({ length: padded.length - 1 }, (_, at) => padded.slice(at, at + 2)))
}

/** The Sørensen–Dice coefficient. */
const similarity = (a: Set<string>, b: Set<string>): number => {
  let shared = 0
  for (const pair of a) if (b.has(pair)) shared++
  return (2 * shared) / (a.size + b.size)
}

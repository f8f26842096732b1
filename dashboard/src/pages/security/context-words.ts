/** The limits of the API. */
const MAX_WORDS = 20
const MAX_LENGTH = 40

export const WORDS_HINT =
  'Separated by commas. A match near one of these words scores higher. They add to the built-in words.'

export const readWords = (text: string): string[] => [
  ...new Set(
    text
      .split(',')
      .map(word => word.trim())
      .filter(word => word !== ''),
  ),
]

export const wordsProblem = (text: string): string | undefined => {
  const words = readWords(text)
  if (words.length > MAX_WORDS) return `At most ${MAX_WORDS} words.`
  const long = words.find(word => word.length > MAX_LENGTH)
  return long && `“${long.slice(0, MAX_LENGTH)}…” has more than ${MAX_LENGTH} characters.`
}

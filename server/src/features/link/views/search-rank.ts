/** What a search looks at, of one app. */
export type Searched = { name: string; keywords: string[]; text: string }

/**
 * How well an app matches a search: 0 is best, -1 is no match. A prefix of the name counts more than a word of it, that more than a
 * keyword or a part of a word, and that more than the description. Accents, case and spaces make no difference: "git hub" finds
 * GitHub. The page's script runs this very function, so it refers to nothing outside itself.
 */
export function rankOf(query: string, { name, keywords, text }: Searched): number {
  const fold = (part: string): string => part.normalize('NFKD').replace(/\p{M}/gu, '').toLowerCase()
  const words = (part: string): string[] =>
    fold(part)
      .split(/[^\p{L}\p{N}]+/u)
      .filter(word => word !== '')
  const squash = (part: string): string => words(part).join('')
  const wanted = squash(query)
  if (wanted === '') return 0
  const whole = squash(name)
  if (whole.startsWith(wanted)) return 0
  if (words(name).some(word => word.startsWith(wanted))) return 1
  if (keywords.some(keyword => squash(keyword).startsWith(wanted))) return 2
  if (whole.includes(wanted)) return 3
  const everything = [name, ...keywords, text].map(squash).join(' ')
  return words(query).every(word => everything.includes(word)) ? 4 : -1
}

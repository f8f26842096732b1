/** The searchable text of one app. */
export type SearchableApp = { name: string; keywords: string[]; text: string }

/**
 * Ranks how well an app matches a search: 0 is best, -1 is no match. A prefix of the name ranks before a word of the name,
 * then a keyword, a part of the name, and the description. Accents, case and spaces are ignored: "git hub" matches GitHub.
 * The page's script includes the source of this function, so it must not refer to anything outside itself.
 */
export function rankOf(query: string, { name, keywords, text }: SearchableApp): number {
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

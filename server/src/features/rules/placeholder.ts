const OPENING = '[REDACTED:'
const LONGEST_LABEL = 64

export const placeholderFor = (entity: string): string => `${OPENING}${entity}]`

/** Where a placeholder that begins at `at` ends, or `at` where there is none; only labels that we give make one. */
export const placeholderEnd = (text: string, at: number, labels: ReadonlySet<string>): number => {
  if (!text.startsWith(OPENING, at)) return at
  const from = at + OPENING.length
  const close = text.slice(from, from + LONGEST_LABEL + 1).indexOf(']')
  return close > 0 && labels.has(text.slice(from, from + close)) ? from + close + 1 : at
}

const OPENING = '[REDACTED:'
const MAX_LABEL_LENGTH = 64

/** Returns the placeholder that replaces an entity: `[REDACTED:EMAIL_ADDRESS]`. */
export const placeholderFor = (entity: string): string => `${OPENING}${entity}]`

/** Returns the end of the placeholder at a position, or the position itself if there is none. Only known labels count. */
export const placeholderEnd = (text: string, at: number, labels: ReadonlySet<string>): number => {
  if (!text.startsWith(OPENING, at)) return at
  const from = at + OPENING.length
  const close = text.slice(from, from + MAX_LABEL_LENGTH + 1).indexOf(']')
  return close > 0 && labels.has(text.slice(from, from + close)) ? from + close + 1 : at
}

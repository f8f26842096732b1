/**
 * Characters that are invisible to users but read by models: controls, bidirectional overrides, zero-width and tag
 * characters, variation selectors, private use. Line breaks, tabs and the emoji variation selector are kept.
 */
const INVISIBLE = /[^\P{Cc}\n\t]|[^\P{DI}\uFE0F]|\p{Cf}|\p{Co}|\uFE0F(?=\uFE0F)/gu

export const hasInvisible = (text: string): boolean => text.search(INVISIBLE) !== -1

export const invisibleIn = (text: string): string => (text.match(INVISIBLE) ?? []).join('')

/** Removes invisible characters from a provider's text and truncates it. */
export const cleanText = (text: string, maxLength: number): string => {
  const visible = text.toWellFormed().replace(INVISIBLE, '').trim()
  return visible.length > maxLength
    ? `${visible
        .slice(0, maxLength - 1)
        .toWellFormed()
        .replace(/\uFFFD$/u, '')}…`
    : visible
}

/** As `cleanText`, on one line. */
export const cleanLine = (text: string, maxLength: number): string =>
  cleanText(text.replace(/\s+/gu, ' '), maxLength)

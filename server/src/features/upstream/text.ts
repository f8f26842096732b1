/**
 * Characters that a person does not see and a model reads: controls, bidirectional overrides, zero-width and tag characters,
 * variation selectors, private use. Line breaks, tabs and the selector that colours an emoji stay.
 */
const UNSEEN = /[^\P{Cc}\n\t]|[^\P{DI}\uFE0F]|\p{Cf}|\p{Co}|\uFE0F(?=\uFE0F)/gu

export const hasUnseen = (text: string): boolean => text.search(UNSEEN) !== -1

export const unseenIn = (text: string): string => (text.match(UNSEEN) ?? []).join('')

/** A third party's words as they may be shown and handed on. */
export const cleanText = (text: string, longest: number): string => {
  const seen = text.toWellFormed().replace(UNSEEN, '').trim()
  return seen.length > longest
    ? `${seen
        .slice(0, longest - 1)
        .toWellFormed()
        .replace(/\uFFFD$/u, '')}…`
    : seen
}

/** For a sentence of ours that quotes theirs. */
export const cleanLine = (text: string, longest: number): string =>
  cleanText(text.replace(/\s+/gu, ' '), longest)

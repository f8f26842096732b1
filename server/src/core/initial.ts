export const DIRECTION_CONTROLS = /[\u200e\u200f\u202a-\u202e\u2066-\u2069]/g

/** Expensive to create, so it is shared. */
const graphemes = new Intl.Segmenter()

/** The letter on a tile. Splits by grapheme, so that an emoji or a letter with diacritics stays whole. */
export function initial(name: string): string {
  const visible = name.replace(DIRECTION_CONTROLS, '').trim()
  const [first] = graphemes.segment(visible)
  return first ? first.segment.toLocaleUpperCase('en') : '·'
}

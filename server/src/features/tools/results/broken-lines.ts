/** A text without its spaces, and where each of its characters was. */
export type UnbrokenText = { text: string; origin: Int32Array }

/** A line of base64 has at least this length. */
const MIN_LINE_LENGTH = 40
const BASE64_LINE = new RegExp(`^[\\w+/-]{${MIN_LINE_LENGTH}}$`)

/** Whether base64 or quoted-printable text is broken into lines. */
export const hasBrokenLines = (text: string): boolean => {
  for (let at = text.indexOf('\n'); at >= 0; at = text.indexOf('\n', at + 1)) {
    const end = text[at - 1] === '\r' ? at - 1 : at
    if (text[end - 1] === '=') return true
    if (BASE64_LINE.test(text.slice(Math.max(0, end - MIN_LINE_LENGTH), end))) return true
  }
  return false
}

/** Removes spaces, line breaks and the soft line breaks of quoted-printable. */
export const removeBreaks = (given: string): UnbrokenText => {
  const kept: string[] = []
  const origin = new Int32Array(given.length)
  let length = 0
  let from = 0
  const keep = (to: number): void => {
    kept.push(given.slice(from, to))
    for (let at = from; at < to; at++) origin[length++] = at
  }
  for (const { 0: gap, index } of given.matchAll(/=?\s+/g)) {
    // An equals sign before a space is not a soft line break.
    const skipped = gap.startsWith('=') && !/^=\r?\n/.test(gap) ? 1 : 0
    keep(index + skipped)
    from = index + gap.length
  }
  keep(given.length)
  return { text: kept.join(''), origin }
}

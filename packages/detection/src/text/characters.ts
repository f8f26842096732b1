/** Character classes as bits, so that the classes in a token can be combined into one number. */
export const OTHER = 0
export const LOWERCASE = 1
export const DIGIT = 2
export const UPPERCASE = 4

/** One of `@ : [ + - / _`, where a pattern may start or continue. Stored in the class table, so that one lookup tests both. */
export const MARKER = 8

/**
 * The class of every UTF-16 code unit, or `MARKER`. Letters without case and surrogates count as lowercase: characters
 * outside the basic plane do not separate tokens.
 */
export const CHARACTER_CLASSES = new Uint8Array(0x10000)
const FIRST_SURROGATE = 0xd800
const AFTER_SURROGATES = 0xe000
CHARACTER_CLASSES.fill(LOWERCASE, FIRST_SURROGATE, AFTER_SURROGATES)
for (const [from, to] of [
  [0, FIRST_SURROGATE],
  [AFTER_SURROGATES, 0x10000],
] as const) {
  const units = new Uint16Array(to - from)
  for (let n = 0; n < units.length; n++) units[n] = from + n
  const all = Buffer.from(units.buffer).toString('utf16le')
  for (const { 0: run, index } of all.matchAll(/[\p{L}\p{M}\p{N}]+/gu))
    CHARACTER_CLASSES.fill(LOWERCASE, from + index, from + index + run.length)
}
CHARACTER_CLASSES.fill(DIGIT, 48, 58)
CHARACTER_CLASSES.fill(UPPERCASE, 65, 91)
for (const marker of '@:[+-/_') CHARACTER_CLASSES[marker.charCodeAt(0)] = MARKER

export const classOf = (code: number): number => (CHARACTER_CLASSES[code] as number) & ~MARKER

/** Returns 0 outside the text. `charCodeAt` returns NaN there, which makes every comparison slow. */
export const codeAt = (text: string, at: number): number =>
  at >= 0 && at < text.length ? text.charCodeAt(at) : 0

export const isDigit = (code: number): boolean => code >= 48 && code <= 57
export const isAsciiLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122
export const isAlphanumeric = (code: number): boolean => isDigit(code) || isAsciiLetter(code)
export const isHex = (code: number): boolean => isDigit(code) || ((code | 32) >= 97 && (code | 32) <= 102)
/** `A-Z a-z 0-9 - _` */
export const isBase64Url = (code: number): boolean => isAlphanumeric(code) || code === 45 || code === 95

/** Separators between the groups of a number: space, tab, `- . / _`. */
export const isSeparator = (code: number): boolean =>
  code === 32 || code === 45 || code === 46 || code === 47 || code === 95 || code === 9

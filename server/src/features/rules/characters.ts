/** What a UTF-16 unit is to the patterns: bits, so that a token's are those of its characters. */
export const OTHER = 0
export const SMALL = 1
export const DIGIT = 2
export const CAPITAL = 4

/** One of `@ : [ + - / _`, where a pattern may begin or go on. No letter, but beside the classes, so that one look tells both. */
export const SIGN = 8

/**
 * The class of every unit, or `SIGN`. Half of a pair counts as a letter: what is beyond the basic plane separates nothing that matters
 * here.
 */
export const SORTS = new Uint8Array(0x10000)
const HALVES = 0xd800
const AFTER_HALVES = 0xe000
SORTS.fill(SMALL, HALVES, AFTER_HALVES)
for (const [from, to] of [
  [0, HALVES],
  [AFTER_HALVES, 0x10000],
] as const) {
  const units = new Uint16Array(to - from)
  for (let n = 0; n < units.length; n++) units[n] = from + n
  const all = Buffer.from(units.buffer).toString('utf16le')
  for (const { 0: run, index } of all.matchAll(/[\p{L}\p{M}\p{N}]+/gu))
    SORTS.fill(SMALL, from + index, from + index + run.length)
}
SORTS.fill(DIGIT, 48, 58)
SORTS.fill(CAPITAL, 65, 91)
for (const sign of '@:[+-/_') SORTS[sign.charCodeAt(0)] = SIGN

export const classOf = (code: number): number => (SORTS[code] as number) & ~SIGN

/** Zero where the text has no such place: what `charCodeAt` answers there, NaN, makes every comparison with it slow. */
export const codeAt = (text: string, at: number): number =>
  at >= 0 && at < text.length ? text.charCodeAt(at) : 0

export const isDigit = (code: number): boolean => code >= 48 && code <= 57
export const isAsciiLetter = (code: number): boolean => (code | 32) >= 97 && (code | 32) <= 122
export const isAlphanumeric = (code: number): boolean => isDigit(code) || isAsciiLetter(code)
export const isHex = (code: number): boolean => isDigit(code) || ((code | 32) >= 97 && (code | 32) <= 102)
/** `A-Z a-z 0-9 - _`, in which tokens are written. */
export const isBase64Url = (code: number): boolean => isAlphanumeric(code) || code === 45 || code === 95

/** What people put between the groups of a number. */
export const isSeparator = (code: number): boolean =>
  code === 32 || code === 45 || code === 46 || code === 47 || code === 95 || code === 9

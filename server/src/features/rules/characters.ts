/** What a UTF-16 unit is to the patterns: bits, so that a token's are those of its characters. */
export const OTHER = 0
export const SMALL = 1
export const DIGIT = 2
export const CAPITAL = 4

const WORD = /^[\p{L}\p{M}\p{N}]$/u
const UNKNOWN = 255
const classes = new Uint8Array(0x10000).fill(UNKNOWN)
for (let code = 0; code < 128; code++) {
  const sign = String.fromCharCode(code)
  classes[code] = /[0-9]/.test(sign)
    ? DIGIT
    : /[a-z]/.test(sign)
      ? SMALL
      : /[A-Z]/.test(sign)
        ? CAPITAL
        : OTHER
}

/** Half of a pair counts as a letter: what is beyond the basic plane separates nothing that matters here. */
export const classOf = (code: number): number => {
  const judged = classes[code] as number
  return judged === UNKNOWN ? judge(code) : judged
}

const judge = (code: number): number => {
  const isLetter = (code >= 0xd800 && code <= 0xdfff) || WORD.test(String.fromCharCode(code))
  return (classes[code] = isLetter ? SMALL : OTHER)
}

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

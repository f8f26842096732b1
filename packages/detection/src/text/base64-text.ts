import { codeAt, isAlphanumeric } from './characters.ts'

/** Twelve bytes. Shorter runs cannot contain any entity. */
export const MIN_BASE64_LENGTH = 16

const VALUES = new Int8Array(128).fill(-1)
for (const [value, character] of Array.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
).entries())
  VALUES[character.charCodeAt(0)] = value
VALUES[45] = 62
VALUES[95] = 63

/** `+ - / _` */
export const isBase64Sign = (code: number): boolean =>
  code === 43 || code === 45 || code === 47 || code === 95

/** Returns the decoded text, or null if the bytes are not text. The first bytes reject nearly every other run. */
export const decodeBase64Text = (text: string, start: number, end: number): string | null => {
  if (!startsAsText(text, start)) return null
  const decoded = Buffer.from(text.slice(start, end), 'base64').toString('utf8')
  return NOT_TEXT.test(decoded) ? null : decoded
}

/** Control characters, and the replacement character for invalid UTF-8. */
const NOT_TEXT = /(?![\t\n\v\f\r])[\p{Cc}\ufffd]/u

/** Checks nine bytes: printable ASCII, white space, or part of a multi-byte UTF-8 sequence. */
const startsAsText = (text: string, start: number): boolean => {
  for (let at = start; at < start + 12; at += 4) {
    let bits = 0
    for (let n = 0; n < 4; n++) {
      const code = codeAt(text, at + n)
      if (!isAlphanumeric(code) && !isBase64Sign(code)) return false
      bits = (bits << 6) | (VALUES[code] as number)
    }
    if (!isTextByte(bits >> 16) || !isTextByte((bits >> 8) & 0xff) || !isTextByte(bits & 0xff)) return false
  }
  return true
}

const isTextByte = (byte: number): boolean =>
  (byte >= 0x20 && byte < 0x7f) || byte === 9 || byte === 10 || byte === 13 || (byte >= 0x80 && byte < 0xf5)

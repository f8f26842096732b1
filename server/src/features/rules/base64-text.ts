import { codeAt, isAlphanumeric } from './characters.ts'

/** Twelve bytes: less than that holds nothing that is looked for. */
export const SHORTEST_BASE64 = 16

const VALUES = new Int8Array(128).fill(-1)
for (const [value, sign] of Array.from(
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
).entries())
  VALUES[sign.charCodeAt(0)] = value
VALUES[45] = 62
VALUES[95] = 63

/** `+ - / _`. */
export const isBase64Sign = (code: number): boolean =>
  code === 43 || code === 45 || code === 47 || code === 95

/** The text behind base64, or null where it is none: the first bytes tell nearly every run that is something else. */
export const decodeBase64Text = (text: string, start: number, end: number): string | null => {
  if (!beginsAsText(text, start)) return null
  const decoded = Buffer.from(text.slice(start, end), 'base64').toString('utf8')
  return NO_TEXT.test(decoded) ? null : decoded
}

/** Control characters, and what stands for bytes that are no UTF-8. */
const NO_TEXT = /(?![\t\n\v\f\r])[\p{Cc}\ufffd]/u

/** Nine bytes, each a printable sign of ASCII, white space, or of a longer sequence of UTF-8. */
const beginsAsText = (text: string, start: number): boolean => {
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

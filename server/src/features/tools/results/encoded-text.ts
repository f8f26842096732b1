/** Bytes of a character in the output of `JSON.stringify`. */
const encodedBytes = (code: number): number => {
  if (code === 0x22 || code === 0x5c) return 2
  if (code < 0x20) return code === 8 || code === 9 || code === 10 || code === 12 || code === 13 ? 2 : 6
  if (code < 0x80) return 1
  if (code < 0x800) return 2
  // A lone surrogate is written as an escape.
  if (code >= 0xd800 && code <= 0xdfff) return 6
  return code < 0x10000 ? 3 : 4
}

/** Without the quotes around it. */
export const encodedLength = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2

/** The longest prefix of a text that fits into the given number of JSON bytes, without a split character. */
export const textWithin = (text: string, bytes: number): string => {
  let left = bytes
  let end = 0
  while (end < text.length) {
    const code = text.codePointAt(end) as number
    left -= encodedBytes(code)
    if (left < 0) break
    end += code > 0xffff ? 2 : 1
  }
  return text.slice(0, end)
}

/**
 * Maximum number of values in untrusted JSON. `JSON.parse` takes up to 2 µs for an object, 1 µs for a member and 0.3
 * µs for an item, and `JSON.stringify` about as much, so a megabyte of tiny objects would block the thread for a
 * fifth of a second each. A typical megabyte of API output has about 40,000 members in 5,000 objects.
 */
export const jsonLimits = { objects: 10_000, members: 30_000, items: 60_000 } as const

/** A shorter text cannot exceed the limits. */
const MIN_LENGTH = jsonLimits.objects * 3

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BRACKET = 0x5b
const BRACE = 0x7b

/** Whether a JSON text exceeds the limits. Scans a megabyte in about 2 ms; the text need not be valid. */
export const exceedsJsonLimits = (text: string): boolean => {
  if (text.length < MIN_LENGTH) return false
  let objects = 0
  let members = 0
  let items = 0
  for (let at = 0; at < text.length; at++)
    switch (text.charCodeAt(at)) {
      case QUOTE:
        at = endOfString(text, at)
        break
      case COLON:
        members++
        break
      case BRACE:
        objects++
        break
      case COMMA:
      case BRACKET:
        items++
        break
    }
  return objects > jsonLimits.objects || members > jsonLimits.members || items > jsonLimits.items
}

/** The index of the closing quote, or the end of the text. */
const endOfString = (text: string, start: number): number => {
  let end = text.indexOf('"', start + 1)
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1)
  return end < 0 ? text.length : end
}

const isEscaped = (text: string, at: number): boolean => {
  let backslashes = 0
  while (text[at - 1 - backslashes] === '\\') backslashes++
  return backslashes % 2 === 1
}

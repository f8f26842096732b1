/**
 * Limits of untrusted JSON, so that `JSON.parse` and `JSON.stringify` take at most about 30 ms each. A member takes 0.1 µs if an
 * earlier object begins with the same names in the same order, and up to 2.6 µs otherwise, because V8 then creates a hidden class.
 * `shapes` limits the latter. A typical megabyte of API output has 40,000 members in 5,000 objects of a few shapes.
 */
export const jsonLimits = { objects: 10_000, members: 30_000, shapes: 10_000, items: 60_000 } as const

/** A shorter text cannot exceed the limits. */
const MIN_LENGTH = jsonLimits.objects * 3

const QUOTE = 0x22
const COMMA = 0x2c
const COLON = 0x3a
const BRACKET = 0x5b
const CLOSING_BRACKET = 0x5d
const BRACE = 0x7b
const CLOSING_BRACE = 0x7d

/**
 * Whether a JSON text exceeds the limits, or has more than `maxDepth` nested objects and lists. Scans a megabyte in a few
 * milliseconds; the text need not be valid.
 */
export const exceedsJsonLimits = (text: string, maxDepth = Number.POSITIVE_INFINITY): boolean => {
  if (text.length < Math.min(MIN_LENGTH, maxDepth)) return false
  let objects = 0
  let members = 0
  let items = 0
  const shapes = new Set<number>()
  /** The shape of each open object; lists have an entry too. */
  const open: number[] = []
  let stringStart = 0
  let stringEnd = 0
  for (let at = 0; at < text.length; at++)
    switch (text.charCodeAt(at)) {
      case QUOTE:
        stringStart = at
        stringEnd = endOfString(text, at)
        at = stringEnd
        break
      case COLON: {
        if (++members > jsonLimits.members) return true
        const shape = extendShape(open.pop() ?? SEED, text, stringStart, stringEnd)
        open.push(shape)
        if (shapes.add(shape).size > jsonLimits.shapes) return true
        break
      }
      case BRACE:
        if (++objects > jsonLimits.objects || open.push(SEED) > maxDepth) return true
        break
      case BRACKET:
        if (++items > jsonLimits.items || open.push(SEED) > maxDepth) return true
        break
      case CLOSING_BRACE:
      case CLOSING_BRACKET:
        open.pop()
        break
      case COMMA:
        if (++items > jsonLimits.items) return true
        break
    }
  return false
}

/** Random, so that a sender cannot choose names whose shapes collide. */
const SEED = (Math.random() * 2 ** 32) | 0
const FNV_PRIME = 0x01000193

/** FNV-1a over the names of an object so far. A collision makes a shape uncounted, which is rare enough not to matter. */
const extendShape = (shape: number, text: string, start: number, end: number): number => {
  let hash = shape
  for (let at = start; at < end; at++) hash = Math.imul(hash ^ text.charCodeAt(at), FNV_PRIME)
  return hash
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

export type JsonObject = Record<string, unknown>

export const isObject = (value: unknown): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Deeper than anybody writes, and far from where serialising it again overflows the stack. */
const DEEPEST_MESSAGE = 128

/** A loop and not a recursion: what is asked about is exactly what a recursion does not survive. */
export const isDeeperThan = (value: unknown, limit: number): boolean => {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true
    level = level.flatMap(one => (one !== null && typeof one === 'object' ? Object.values(one) : []))
  }
  return false
}

/** What a third party sent, or undefined where it is no JSON or too deep to be handled. */
export const parseJson = (text: string): unknown => {
  try {
    const value: unknown = JSON.parse(text)
    return isDeeperThan(value, DEEPEST_MESSAGE) ? undefined : value
  } catch {
    return undefined
  }
}

/** Keys in order, so that equal values are equal text. */
export const canonicalJson = (value: unknown): string =>
  JSON.stringify(value, (_, part: unknown) =>
    isObject(part) ? Object.fromEntries(Object.entries(part).toSorted(([a], [b]) => (a < b ? -1 : 1))) : part,
  )

import { exceedsJsonLimits } from '../../core/json-limits.ts'

export type JsonObject = Record<string, unknown>

export const isObject = (value: unknown): value is JsonObject =>
  value !== null && typeof value === 'object' && !Array.isArray(value)

/** Deeper than anybody writes, and far from where serialising it again overflows the stack. */
const DEEPEST_MESSAGE = 128

/** A loop and not a recursion: a value that is nested too deeply would overflow the stack. */
export const isDeeperThan = (value: unknown, limit: number): boolean => {
  const open: unknown[] = [value]
  const depths: number[] = [0]
  while (open.length > 0) {
    const next = open.pop()
    const depth = depths.pop() as number
    if (depth > limit) return true
    if (next === null || typeof next !== 'object') continue
    for (const name in next) {
      const part = (next as JsonObject)[name]
      if (part === null || typeof part !== 'object') {
        if (depth >= limit) return true
        continue
      }
      open.push(part)
      depths.push(depth + 1)
    }
  }
  return false
}

/** What a third party sent, or undefined where it is no JSON, too deep or too large to be handled. */
export const parseJson = (text: string): unknown => {
  if (exceedsJsonLimits(text)) return undefined
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

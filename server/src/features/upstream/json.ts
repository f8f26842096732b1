import { exceedsJsonLimits } from '../../core/json/json-limits.ts'
import type { JsonObject } from '../../core/json/object.ts'

/** Deeper than real messages, and shallow enough to serialize again without overflowing the stack. */
const MAX_MESSAGE_DEPTH = 128

/** Iterative, because a deeply nested value would overflow the stack. */
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

/** Parses JSON from a provider. Undefined if it is invalid, too deep or too large. */
export const parseJson = (text: string): unknown => {
  if (exceedsJsonLimits(text, MAX_MESSAGE_DEPTH)) return undefined
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

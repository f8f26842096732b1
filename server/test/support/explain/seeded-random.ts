/** A reproducible source of random choices. */
export type Random = {
  /** An integer from 0 to `below` - 1. */
  below(below: number): number
  pick<T>(values: readonly T[]): T
}

/** Mulberry32. */
export const seededRandom = (seed: number): Random => {
  let state = seed >>> 0
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0
    let mixed = Math.imul(state ^ (state >>> 15), state | 1)
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61)
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  return { below, pick: values => values[below(values.length)]! }
}

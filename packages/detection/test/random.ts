/** A seeded generator (mulberry32), so that the corpus is the same on every machine. */
export type Random = {
  below: (limit: number) => number
  digits: (count: number) => string
  pick: <T>(items: readonly T[]) => T
  letters: (count: number, alphabet?: string) => string
}

export const seeded = (seed: number): Random => {
  let state = seed
  const next = (): number => {
    state = (state + 0x6d2b79f5) | 0
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state)
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32
  }
  const below = (limit: number): number => Math.floor(next() * limit)
  const letters = (count: number, alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'): string =>
    Array.from({ length: count }, () => alphabet[below(alphabet.length)]).join('')
  return {
    below,
    letters,
    digits: count => letters(count, '0123456789'),
    pick: items => items[below(items.length)] as (typeof items)[number],
  }
}

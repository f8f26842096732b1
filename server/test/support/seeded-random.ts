/** Returns a number below its argument. */
export type Random = (below: number) => number

/** Park and Miller's minimal standard generator. */
export const createRandom = (seed: number): Random => {
  let state = seed
  return below => {
    state = (state * 48_271) % 2_147_483_647
    return state % below
  }
}

export const randomList = <T>(length: number, item: () => T): T[] => Array.from({ length }, item)

/** Characters that URLs, forms and signatures encode differently. */
const CHARACTERS = Array.from('abcXYZ019-._~ !$&\'()*,;=:@%/?#[]+"<>^`{|}éü日😀')

export const randomText = (random: Random, length: number): string =>
  randomList(length, () => CHARACTERS[random(CHARACTERS.length)]).join('')

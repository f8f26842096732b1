import type { Hit } from './tokenize.ts'

/** Words of keys above a value count as if they stood this far before it. */
const OWN_KEY_DISTANCE = 1
const PARENT_KEY_DISTANCE = 30

/** What the keys around a text say of it; nearest first. */
export type Ambient = { own: readonly Hit[]; parent: readonly Hit[] }
export const NO_AMBIENT: Ambient = { own: [], parent: [] }

const BEFORE = 60
const AFTER = 30
/** A pattern that fits any number believes only a word that stands close, with no other number between. */
const WEAK = 0.2
const WEAK_BEFORE = 34
const WEAK_AFTER = 20

export type Nearby = { words: string[]; distance: number }
const NOTHING: Nearby = { words: [], distance: Number.POSITIVE_INFINITY }

/** Words about a topic near a span, and how far the nearest is. */
export const findContext = (
  { text, hits, ambient }: { text: string; hits: readonly Hit[]; ambient: Ambient },
  topic: number,
  { start, end, alone }: { start: number; end: number; alone: number },
): Nearby => {
  const weak = alone < WEAK
  const words: [distance: number, word: string][] = []
  const note = (distance: number, { word }: Hit): void => {
    if (word.topics.includes(topic)) words.push([distance, word.word])
  }
  for (let n = firstFrom(hits, start - (weak ? WEAK_BEFORE : BEFORE)); n < hits.length; n++) {
    const hit = hits[n] as Hit
    if (hit.at >= end + (weak ? WEAK_AFTER : AFTER)) break
    if (hit.end <= start) {
      if (!weak || !hasNumber(text, hit.end, start)) note(start - hit.end, hit)
    } else if (hit.at >= end && (!weak || !hasNumber(text, end, hit.at))) note(hit.at - end + AFTER, hit)
  }
  for (const hit of ambient.own) note(OWN_KEY_DISTANCE, hit)
  if (!weak) for (const hit of ambient.parent) note(PARENT_KEY_DISTANCE, hit)
  if (words.length === 0) return NOTHING
  words.sort(([a], [b]) => a - b)
  return { words: [...new Set(words.map(([, word]) => word))], distance: words[0]?.[0] as number }
}

const NUMBER = /\d{3}/
const hasNumber = (text: string, from: number, to: number): boolean => NUMBER.test(text.slice(from, to))

/** The first hit that begins at `at` or later. */
const firstFrom = (hits: readonly Hit[], at: number): number => {
  let low = 0
  let high = hits.length
  while (low < high) {
    const middle = (low + high) >> 1
    if ((hits[middle] as Hit).at < at) low = middle + 1
    else high = middle
  }
  return low
}

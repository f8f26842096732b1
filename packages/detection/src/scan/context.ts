import { MAX_TOPICS } from '../rules/topics.ts'
import { codeAt, isDigit } from '../text/characters.ts'
import type { WordHit } from '../text/tokenize.ts'

/** Words in the names of the members that contain a text. They count as if they preceded it. */
export type KeyContext = { own: readonly WordHit[]; parent: readonly WordHit[] }
export const NO_KEY_CONTEXT: KeyContext = { own: [], parent: [] }
const OWN_KEY_DISTANCE = 1
const PARENT_KEY_DISTANCE = 30

/** How many characters before and after a span are searched for context words. */
const REACH_BEFORE = 60
const REACH_AFTER = 30
/**
 * Patterns with a lower base score match any number. They accept only a close word on the same line, with no other number
 * in between.
 */
const MIN_STRONG_SCORE = 0.2
const CLOSE_BEFORE = 34
const CLOSE_AFTER = 20
/** More words than this near one span do not occur in readable text. */
const MAX_NEARBY = 64
const NEWLINE = 10

/** The distance if there is no context word. */
export const NO_CONTEXT = 0x7fff

type Span = { start: number; end: number; baseScore: number }

/** The words of the text that is being scanned, and those near the span that was examined last. */
export type Context = {
  text: string
  hits: readonly WordHit[]
  keyContext: KeyContext
  /** True if neither the text nor its keys contain a context word. */
  isEmpty: boolean
  /** The span that was examined last, and the first hit in its reach. */
  start: number
  end: number
  firstHit: number
  /** The distance of the nearest word by topic: of all words, and of close ones only. */
  distances: Int16Array
  closeDistances: Int16Array
  /** The words near the span. */
  nearby: (WordHit | undefined)[]
  nearbyDistances: Int16Array
  nearbyClose: Uint8Array
  nearbyCount: number
}

export const newContext = (): Context => ({
  text: '',
  hits: [],
  keyContext: NO_KEY_CONTEXT,
  isEmpty: true,
  start: -1,
  end: -1,
  firstHit: 0,
  distances: new Int16Array(MAX_TOPICS).fill(NO_CONTEXT),
  closeDistances: new Int16Array(MAX_TOPICS).fill(NO_CONTEXT),
  nearby: Array.from({ length: MAX_NEARBY }, () => undefined),
  nearbyDistances: new Int16Array(MAX_NEARBY),
  nearbyClose: new Uint8Array(MAX_NEARBY),
  nearbyCount: 0,
})

/** Prepares the context for a text. */
export const setContext = (
  context: Context,
  text: string,
  hits: readonly WordHit[],
  keyContext: KeyContext,
): void => {
  context.text = text
  context.hits = hits
  context.keyContext = keyContext
  context.isEmpty = hits.length === 0 && keyContext.own.length === 0 && keyContext.parent.length === 0
  context.start = -1
  context.end = -1
  context.firstHit = 0
  clearNearby(context)
}

/** Returns the distance of the nearest word about a topic from a span, or `NO_CONTEXT`. */
export const contextDistance = (
  context: Context,
  topic: number,
  start: number,
  end: number,
  baseScore: number,
): number => {
  if (context.isEmpty) return NO_CONTEXT
  collectNearby(context, start, end)
  return (baseScore < MIN_STRONG_SCORE ? context.closeDistances : context.distances)[topic] as number
}

/** Returns the words about a topic near a span, nearest first. */
export const contextWords = (context: Context, topic: number, { start, end, baseScore }: Span): string[] => {
  collectNearby(context, start, end)
  return wordsAbout(context, topic, baseScore < MIN_STRONG_SCORE)
}

/** Many patterns examine the same span, so the words near it are collected once. */
const collectNearby = (context: Context, start: number, end: number): void => {
  if (start === context.start && end === context.end) return
  context.start = start
  context.end = end
  if (context.nearbyCount > 0) clearNearby(context)
  const { text, hits, keyContext } = context
  for (let n = findFirstHit(context, start - REACH_BEFORE); n < hits.length; n++) {
    const hit = hits[n] as WordHit
    if (hit.at >= end + REACH_AFTER) break
    if (hit.end <= start)
      addNearby(
        context,
        hit,
        start - hit.end,
        start - hit.at <= CLOSE_BEFORE && !isSeparated(text, hit.end, start),
      )
    else if (hit.at >= end)
      addNearby(
        context,
        hit,
        hit.at - end + REACH_AFTER,
        hit.at - end < CLOSE_AFTER && !isSeparated(text, end, hit.at),
      )
  }
  for (const hit of keyContext.own) addNearby(context, hit, OWN_KEY_DISTANCE, true)
  for (const hit of keyContext.parent) addNearby(context, hit, PARENT_KEY_DISTANCE, false)
}

/** Finds the first hit at or after a position. Spans come mostly in order, so the search starts at the previous result. */
const findFirstHit = (context: Context, position: number): number => {
  const { hits } = context
  let n = context.firstHit
  if (n > 0 && (hits[n - 1] as WordHit).at >= position) n = 0
  for (let stride = 1; n < hits.length && (hits[n] as WordHit).at < position; ) {
    // Exponential search: the stride doubles, and halves again when it is too long.
    const next = n + stride
    if (next < hits.length && (hits[next] as WordHit).at < position) {
      n = next
      stride *= 2
    } else if (stride > 1) stride >>= 1
    else n++
  }
  context.firstHit = n
  return n
}

const clearNearby = (context: Context): void => {
  const { nearby, nearbyCount, distances, closeDistances } = context
  for (let n = 0; n < nearbyCount; n++) {
    const { topics } = (nearby[n] as WordHit).word
    for (let t = 0; t < topics.length; t++) {
      distances[topics[t] as number] = NO_CONTEXT
      closeDistances[topics[t] as number] = NO_CONTEXT
    }
    nearby[n] = undefined
  }
  context.nearbyCount = 0
}

const addNearby = (context: Context, hit: WordHit, distance: number, isClose: boolean): void => {
  const { distances, closeDistances } = context
  const n = context.nearbyCount
  if (n === MAX_NEARBY) return
  context.nearby[n] = hit
  context.nearbyDistances[n] = distance
  context.nearbyClose[n] = isClose ? 1 : 0
  context.nearbyCount = n + 1
  const { topics } = hit.word
  for (let t = 0; t < topics.length; t++) {
    const topic = topics[t] as number
    if (distance < (distances[topic] as number)) distances[topic] = distance
    if (isClose && distance < (closeDistances[topic] as number)) closeDistances[topic] = distance
  }
}

const wordsAbout = (context: Context, topic: number, onlyClose: boolean): string[] => {
  const { nearby, nearbyCount, nearbyClose, nearbyDistances } = context
  const about: number[] = []
  for (let n = 0; n < nearbyCount; n++)
    if ((!onlyClose || nearbyClose[n] === 1) && (nearby[n] as WordHit).word.topics.includes(topic))
      about.push(n)
  if (about.length > 1) about.sort((a, b) => (nearbyDistances[a] as number) - (nearbyDistances[b] as number))
  const words: string[] = []
  for (const n of about) {
    const { word } = (nearby[n] as WordHit).word
    if (!words.includes(word)) words.push(word)
  }
  return words
}

/** True if another number or a line break is in between. */
const isSeparated = (text: string, from: number, to: number): boolean => {
  let digits = 0
  for (let at = from; at < to; at++) {
    const code = codeAt(text, at)
    digits = isDigit(code) ? digits + 1 : 0
    if (digits === 3 || code === NEWLINE) return true
  }
  return false
}

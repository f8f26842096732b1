import { codeAt, isDigit } from './characters.ts'
import type { Hit } from './tokenize.ts'

/** Words of the keys above a text; they count as if they stood before it. */
export type Ambient = { own: readonly Hit[]; parent: readonly Hit[] }
export const NO_AMBIENT: Ambient = { own: [], parent: [] }
const OWN_KEY_DISTANCE = 1
const PARENT_KEY_DISTANCE = 30

const BEFORE = 60
const AFTER = 30
/** A pattern that fits any number believes only a word that stands close, with no other number and no new line between. */
const WEAK = 0.2
const WEAK_BEFORE = 34
const WEAK_AFTER = 20
const TOPICS = 512
const NEWLINE = 10

export const FAR = 0x7fff

type Span = { start: number; end: number; alone: number }

/** The one text that is scanned at a time, and its words. */
const surroundings = {
  text: '',
  hits: [] as readonly Hit[],
  ambient: NO_AMBIENT,
  /** The span that was looked at last, and the first word that was near it. */
  from: -1,
  to: -1,
  near: 0,
  /** Not a word anywhere. */
  quiet: true,
}

/** From here on, what is asked is asked of this text. */
export const beginContext = (text: string, hits: readonly Hit[], ambient: Ambient): void => {
  surroundings.text = text
  surroundings.hits = hits
  surroundings.ambient = ambient
  surroundings.from = -1
  surroundings.to = -1
  surroundings.near = 0
  surroundings.quiet = hits.length === 0 && ambient.own.length === 0 && ambient.parent.length === 0
  clear()
}

/** How far the nearest word about a topic is from a span, or `FAR`. */
export const distanceTo = (topic: number, start: number, end: number, alone: number): number => {
  if (surroundings.quiet) return FAR
  look(start, end)
  return (alone < WEAK ? closeDistances : distances)[topic] as number
}

/** Those words, nearest first. */
export const wordsNear = (topic: number, { start, end, alone }: Span): string[] => {
  look(start, end)
  return wordsAbout(topic, alone < WEAK)
}

/** Many patterns ask about the same span: the words around it are looked at once. */
const look = (start: number, end: number): void => {
  if (start === surroundings.from && end === surroundings.to) return
  surroundings.from = start
  surroundings.to = end
  if (notedCount > 0) clear()
  const { text, hits, ambient } = surroundings
  for (let n = firstFrom(start - BEFORE); n < hits.length; n++) {
    const hit = hits[n] as Hit
    if (hit.at >= end + AFTER) break
    if (hit.end <= start)
      note(hit, start - hit.end, start - hit.at <= WEAK_BEFORE && !isApart(text, hit.end, start))
    else if (hit.at >= end)
      note(hit, hit.at - end + AFTER, hit.at - end < WEAK_AFTER && !isApart(text, end, hit.at))
  }
  for (const hit of ambient.own) note(hit, OWN_KEY_DISTANCE, true)
  for (const hit of ambient.parent) note(hit, PARENT_KEY_DISTANCE, false)
}

/** The first word at a place or behind it. Most ask from the left to the right: from where the last one asked it is a few steps. */
const firstFrom = (place: number): number => {
  const { hits } = surroundings
  let n = surroundings.near
  if (n > 0 && (hits[n - 1] as Hit).at >= place) n = 0
  for (let stride = 1; n < hits.length && (hits[n] as Hit).at < place; ) {
    // A far place is reached in strides that grow, and halve again where one was too long.
    const next = n + stride
    if (next < hits.length && (hits[next] as Hit).at < place) {
      n = next
      stride *= 2
    } else if (stride > 1) stride >>= 1
    else n++
  }
  surroundings.near = n
  return n
}

/** By topic, for the span that was looked at last. */
const distances = new Int16Array(TOPICS).fill(FAR)
const closeDistances = new Int16Array(TOPICS).fill(FAR)
/** The words around it. More than this many stand around nothing that is meant to be read. */
const MOST_NOTED = 64
const noted: (Hit | undefined)[] = Array.from({ length: MOST_NOTED }, () => undefined)
const notedDistances = new Int16Array(MOST_NOTED)
const notedClose = new Uint8Array(MOST_NOTED)
let notedCount = 0

const clear = (): void => {
  for (let n = 0; n < notedCount; n++) {
    const { topics } = (noted[n] as Hit).word
    for (let t = 0; t < topics.length; t++) {
      distances[topics[t] as number] = FAR
      closeDistances[topics[t] as number] = FAR
    }
    noted[n] = undefined
  }
  notedCount = 0
}

const note = (hit: Hit, distance: number, close: boolean): void => {
  if (notedCount === MOST_NOTED) return
  noted[notedCount] = hit
  notedDistances[notedCount] = distance
  notedClose[notedCount++] = close ? 1 : 0
  const { topics } = hit.word
  for (let t = 0; t < topics.length; t++) {
    const topic = topics[t] as number
    if (distance < (distances[topic] as number)) distances[topic] = distance
    if (close && distance < (closeDistances[topic] as number)) closeDistances[topic] = distance
  }
}

const wordsAbout = (topic: number, weak: boolean): string[] => {
  const about: number[] = []
  for (let n = 0; n < notedCount; n++)
    if ((!weak || notedClose[n] === 1) && (noted[n] as Hit).word.topics.includes(topic)) about.push(n)
  if (about.length > 1) about.sort((a, b) => (notedDistances[a] as number) - (notedDistances[b] as number))
  const words: string[] = []
  for (const n of about) {
    const { word } = (noted[n] as Hit).word
    if (!words.includes(word)) words.push(word)
  }
  return words
}

/** Another number, or the end of a line. */
const isApart = (text: string, from: number, to: number): boolean => {
  let run = 0
  for (let at = from; at < to; at++) {
    const code = codeAt(text, at)
    run = isDigit(code) ? run + 1 : 0
    if (run === 3 || code === NEWLINE) return true
  }
  return false
}

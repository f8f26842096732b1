import { type Place, placeholderFor, redactValue, type ValueMatch } from '@carabiner/detection'
import { decodeEscapes, type TextPiece, textPieceOf } from '@carabiner/detection/text'
import type { ContentBlock } from '../../upstream/mcp-tool-result.ts'
import { hasBrokenLines, removeBreaks } from './broken-lines.ts'
import {
  MIN_BROKEN_LENGTH,
  MIN_WORD_LENGTH,
  mayEncode,
  type Spellings,
  spellingsOf,
} from './secret-spellings.ts'

export type Scrubber = (value: unknown) => unknown

type Span = { start: number; end: number }
type Path = (string | number)[]

/**
 * Removes a credential from what its provider returns, so that an echo does not reach the model: as it is, with escapes (JSON,
 * percent, HTML, also nested), with invisible characters or a few spaces in it, in base64 (also twice, and in lines), hex, quoted-printable or tag
 * characters, and split over neighboring texts. A text that was transformed in other ways, such as reversed or encrypted, is not recognized.
 */
export const createScrubber = (secrets: readonly string[]): Scrubber => {
  const search = prepareSearch(secrets)
  if (search.usual.texts.length === 0) return value => value
  return value => {
    const matches = findSecrets(value, search)
    return matches.length === 0 ? value : redactValue(value, matches)
  }
}

/** Scrubbed bytes are not valid base64, and clients reject such a block, so it becomes a text block. */
export const replaceBrokenBlocks = (content: ContentBlock[]): ContentBlock[] =>
  content.map(block => {
    const bytes = 'data' in block ? block.data : bytesOf(block)
    return bytes?.includes(PLACEHOLDER) ? { type: 'text', text: PLACEHOLDER } : block
  })

const PLACEHOLDER = placeholderFor('CREDENTIAL')

const bytesOf = (block: ContentBlock): string | undefined =>
  block.type === 'resource' && 'blob' in block.resource ? block.resource.blob : undefined

const quoteForPattern = (text: string): string => text.replace(/[\\^$.*+?()[\]{}|/]/g, '\\$&')

/** `pattern` finds the positions of `texts`. It is compiled only if a text occurs, because compiling takes longer than most scans. */
type Wanted = { texts: readonly string[]; pattern: () => RegExp }
type Search = { usual: Wanted; encoded: () => Wanted; unbroken: () => Wanted; halves: readonly string[] }

const prepareSearch = (secrets: readonly string[]): Search => {
  const { texts, words, encoded, unbroken, halves }: Spellings = spellingsOf(secrets)
  return {
    usual: wanted(texts, words),
    encoded: once(() => wanted(encoded())),
    unbroken: once(() => wanted(unbroken())),
    halves,
  }
}

const once = <Value>(make: () => Value): (() => Value) => {
  let made: { value: Value } | undefined
  return () => {
    made ??= { value: make() }
    return made.value
  }
}

const wanted = (texts: readonly string[], words: readonly string[] = []): Wanted => ({
  texts: [...texts, ...words],
  pattern: once(() => patternOf(texts, words)),
})

const patternOf = (texts: readonly string[], words: readonly string[]): RegExp => {
  // Longest first: of two matches at the same position, the longer one is removed.
  const longestFirst = texts.toSorted((a, b) => b.length - a.length)
  const parts = [
    ...longestFirst.map(quoteForPattern),
    ...words.map(word => `(?<![\\p{L}\\p{N}])${quoteForPattern(word)}(?![\\p{L}\\p{N}])`),
  ]
  return new RegExp(parts.join('|'), 'gu')
}

const findSecrets = (value: unknown, search: Search): ValueMatch[] => {
  const matches: ValueMatch[] = []
  const path: Path = []
  const note = (places: Place[]): void => {
    const [first, ...others] = places
    if (first) matches.push({ ...MATCH, places: [first, ...others] })
  }
  const cleanKeys = new Set<string>()
  const noteSpans = (text: string, where: Place['in']): void => {
    for (const span of findSpans(text, search)) note([{ path: path.slice(), in: where, ...span }])
  }
  /** Keys repeat in lists of records, so each is scanned once. */
  const visitKey = (key: string): void => {
    const before = matches.length
    noteSpans(key, 'key')
    if (matches.length === before) cleanKeys.add(key)
  }
  const visit = (node: unknown): void => {
    if (typeof node === 'string' || typeof node === 'number') noteSpans(String(node), 'value')
    else if (typeof node !== 'object' || node === null) return
    else {
      for (const [key, member] of Object.entries(node)) {
        path.push(Array.isArray(node) ? Number(key) : key)
        if (!Array.isArray(node) && !cleanKeys.has(key)) visitKey(key)
        visit(member)
        path.pop()
      }
      if (Array.isArray(node)) for (const places of findAcross(piecesOf(node, path), search)) note(places)
    }
  }
  visit(value)
  return matches
}

const MATCH = { entity: 'CREDENTIAL', score: 1, rule: 'credential', context: [] }

/** Matches in the text, including those that appear only after decoding escapes or removing spaces. */
const findSpans = (given: string, search: Search): readonly Span[] => {
  if (given.length < MIN_WORD_LENGTH) return NO_SPANS
  const spans = spansIn(given, search.usual)
  if (mayEncode(given)) spans.push(...spansIn(given, search.encoded()))
  if (MAY_HIDE.test(given))
    for (const { text, origin } of decodeEscapes(given)) {
      // The last character may be a longer escape, which ends where the next one begins.
      const end = (at: number): number => origin[at] ?? given.length
      spans.push(...spansIn(text, search.usual, at => origin[at] as number, end))
    }
  if (spans.length === 0 && mayBeBroken(given, search)) {
    const { text, origin } = removeBreaks(given)
    const start = (at: number): number => origin[at] as number
    spans.push(...spansIn(text, search.unbroken(), start, at => start(at - 1) + 1))
  }
  return spans
}

type PositionOf = (at: number) => number
const ITSELF: PositionOf = at => at

/** `start` and `end` convert positions of the text to those of its source. */
const spansIn = (text: string, { texts, pattern }: Wanted, start = ITSELF, end = ITSELF): Span[] =>
  texts.some(each => text.includes(each))
    ? Array.from(text.matchAll(pattern()), ({ 0: { length }, index }) => ({
        start: start(index),
        end: end(index + length),
      }))
    : []

const mayBeBroken = (text: string, { halves }: Search): boolean =>
  text.length > MIN_BROKEN_LENGTH &&
  SPACE.test(text) &&
  (halves.some(half => text.includes(half)) || hasBrokenLines(text))

const SPACE = /\s/
const NO_SPANS: readonly Span[] = []
const MAY_HIDE = /%[0-9a-fA-F]{2}|&[#a-zA-Z]|\\[ux"'\\/]|[^\0-\x7f]/

const piecesOf = (items: unknown[], path: Path): TextPiece[] =>
  items.flatMap((item, at) => {
    const piece = typeof item === 'string' ? { text: item, path: [] } : textPieceOf(item)
    return piece && piece.text !== '' ? [{ text: piece.text, path: [...path, at, ...piece.path] }] : []
  })

/** Secrets that are split over several texts. */
const findAcross = (pieces: readonly TextPiece[], search: Search): Place[][] => {
  if (pieces.length < 2) return []
  const spans = findSpans(pieces.map(({ text }) => text).join(''), search)
  if (spans.length === 0) return []
  const found: Place[][] = []
  let first = 0
  let from = 0
  for (const { start, end } of spans.toSorted((a, b) => a.start - b.start)) {
    while (from + textAt(pieces, first).length <= start) from += textAt(pieces, first++).length
    const places: Place[] = []
    for (let n = first, at = from; n < pieces.length && at < end; at += textAt(pieces, n++).length) {
      const { text, path } = pieces[n] as TextPiece
      const to = Math.min(end - at, text.length)
      places.push({ path, in: 'value', start: Math.max(start - at, 0), end: to })
    }
    if (places.length > 1) found.push(places)
  }
  return found
}

const textAt = (pieces: readonly TextPiece[], n: number): string => (pieces[n] as TextPiece).text

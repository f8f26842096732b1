import { type Place, placeholderFor, redactValue, type ValueMatch } from '@carabiner/detection'
import { decodeEscapes, foldText, type TextPiece, textPieceOf } from '@carabiner/detection/text'
import type { ContentBlock } from '../../upstream/tool-result.ts'

/** Shorter secrets occur in ordinary words: they count only between characters that are not letters or digits. */
const MIN_LENGTH = 6
/** Even shorter secrets are not removed, because nearly every text contains them. */
const MIN_WORD_LENGTH = 4
/** Shorter pieces of base64 or hex occur in other data by chance. */
const MIN_ENCODED_LENGTH = 8

export type Scrubber = (value: unknown) => unknown

type Span = { start: number; end: number }
type Path = (string | number)[]

/**
 * Removes a credential from what its provider returns, so that an echo does not reach the model: as it is, with escapes (JSON,
 * percent, HTML, also nested), with invisible characters in it, in base64 or hex, and split over neighboring texts.
 */
export const createScrubber = (secrets: readonly string[]): Scrubber => {
  const search = prepareSearch(secrets)
  if (search.texts.length === 0) return value => value
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
type Search = { texts: readonly string[]; pattern: () => RegExp }

const prepareSearch = (secrets: readonly string[]): Search => {
  const spellings = [...new Set(secrets.flatMap(secret => [secret, foldText(secret).text]))]
  const whole = spellings.filter(({ length }) => length >= MIN_LENGTH)
  const words = spellings.filter(({ length }) => length >= MIN_WORD_LENGTH && length < MIN_LENGTH)
  const encoded = whole.flatMap(encodings).filter(({ length }) => length >= MIN_ENCODED_LENGTH)
  const texts = [...new Set([...whole, ...encoded])]
  let compiled: RegExp | undefined
  return {
    texts: [...texts, ...words],
    pattern: () => {
      compiled ??= patternOf(texts, words)
      return compiled
    },
  }
}

const patternOf = (texts: readonly string[], words: readonly string[]): RegExp => {
  // Longest first: of two matches at the same position, the longer one is removed.
  const longestFirst = texts.toSorted((a, b) => b.length - a.length)
  const parts = [
    ...longestFirst.map(quoteForPattern),
    ...words.map(word => `(?<![\\p{L}\\p{N}])${quoteForPattern(word)}(?![\\p{L}\\p{N}])`),
  ]
  return new RegExp(parts.join('|'), 'gu')
}

/** Hex in both cases; base64 in both alphabets and at each of the three alignments within a longer text. */
const encodings = (secret: string): string[] => {
  const bytes = Buffer.from(secret, 'utf8')
  const hex = bytes.toString('hex')
  const base64 = [0, 1, 2].flatMap(before => {
    const text = Buffer.concat([Buffer.alloc(before), bytes])
    // Only characters whose six bits belong to the secret.
    const inner = text
      .toString('base64')
      .slice(Math.ceil((before * 8) / 6), Math.floor((text.length * 8) / 6))
    return [inner, inner.replaceAll('+', '-').replaceAll('/', '_')]
  })
  return [hex, hex.toUpperCase(), ...base64]
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

/** Matches in the text, including those that appear only after decoding escapes. */
const findSpans = (given: string, search: Search): readonly Span[] => {
  if (given.length < MIN_WORD_LENGTH) return NO_SPANS
  const spans = matchesIn(given, search).map(({ 0: { length }, index }) => ({
    start: index,
    end: index + length,
  }))
  if (!MAY_HIDE.test(given)) return spans
  const decoded = decodeEscapes(given).flatMap(({ text, origin }) =>
    matchesIn(text, search).map(({ 0: { length }, index }) => ({
      start: origin[index] as number,
      end: origin[index + length] ?? given.length,
    })),
  )
  return [...spans, ...decoded]
}

const matchesIn = (text: string, { texts, pattern }: Search): RegExpExecArray[] =>
  texts.some(wanted => text.includes(wanted)) ? [...text.matchAll(pattern())] : []

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

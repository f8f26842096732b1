import type { Rules } from '../rules/compile-rules.ts'
import { decodeBase64Text } from '../text/base64-text.ts'
import { foldText, sourceEnd, sourceStart } from '../text/fold.ts'
import { type DecodedText, decodeEscapes } from '../text/unescape.ts'
import { contextDistance, contextWords, type KeyContext, NO_CONTEXT, NO_KEY_CONTEXT } from './context.ts'
import { findCandidates } from './find-candidates.ts'
import type { Candidate, Match } from './match.ts'
import { resolveOverlaps, scoreOf } from './overlaps.ts'
import { type Findings, type Scanner, type ScanOptions, topicOf, withScanner } from './scanner.ts'

/**
 * Finds every entity in a text that the rules ask for. Matches do not overlap, and are in the order of the text.
 *
 * @example
 * scanText('Card 4111 1111 1111 1111', compileRules({ entities: { CREDIT_CARD: {} } }))
 * // [{ entity: 'CREDIT_CARD', start: 5, end: 24, score: 1, rule: 'card-grouped', context: ['card'] }]
 */
export const scanText = (text: string, rules: Rules, options: ScanOptions = {}): readonly Match[] =>
  withScanner(rules, options, scanner => scanOneText(scanner, text, NO_KEY_CONTEXT))

const NO_MATCHES: readonly Match[] = []

type CandidateWithWords = Candidate & { words?: readonly string[] }

/** Scans one text of a value. `keyContext` are the words of the keys above it. */
export const scanOneText = (scanner: Scanner, source: string, keyContext: KeyContext): readonly Match[] => {
  const matches = scanPlain(scanner, source, keyContext)
  return mayContainEscapes(source) ? addEscaped(scanner, matches, source, keyContext) : matches
}

/** The searches for one character are fast, and most texts contain none of them. */
const mayContainEscapes = (text: string): boolean =>
  (text.includes('%') || text.includes('&') || text.includes('\\u')) && ESCAPED.test(text)

/** Escapes for a digit, a letter, a space or an ASCII sign. */
const ESCAPED = /%[2-7][0-9a-f]|&#|&[a-z]{2,8};|\\u00[2-7]/i

/** Adds the matches that are found only after escapes are decoded (percent-encoding, HTML entities, JSON). */
const addEscaped = (
  scanner: Scanner,
  plain: readonly Match[],
  source: string,
  keyContext: KeyContext,
): readonly Match[] => {
  let last: DecodedText | null = null
  for (const decoded of decodeEscapes(source)) last = decoded
  if (!last) return plain
  const { text, origin } = last
  const escaped = scanPlain(scanner, text, keyContext)
    .map(match => ({
      ...match,
      start: origin[match.start] as number,
      end: match.end < origin.length ? (origin[match.end] as number) : source.length,
    }))
    .filter(doesNotOverlap(plain))
  return escaped.length === 0 ? plain : [...plain, ...escaped].toSorted((a, b) => a.start - b.start)
}

/** Both lists are in the order of the text, so each is read once. */
const doesNotOverlap = (others: readonly Match[]): ((match: Match) => boolean) => {
  let next = 0
  return ({ start, end }) => {
    while (next < others.length && (others[next] as Match).end <= start) next++
    return next === others.length || (others[next] as Match).start >= end
  }
}

const scanPlain = (scanner: Scanner, source: string, keyContext: KeyContext): readonly Match[] => {
  const { rules } = scanner
  const folded = foldText(source)
  const { text } = folded
  const findings = findCandidates(scanner, text, keyContext, true)
  if (findings === null) return NO_MATCHES
  const candidates: CandidateWithWords[] = findings.matches
  findCustom(scanner, text, findings)
  if (findings.base64.length > 0) {
    // Scanning the decoded text replaces the context, so the words are read first.
    for (const candidate of candidates) candidate.words = wordsNear(scanner, candidate)
    for (const [start, end] of findings.base64)
      for (const match of scanBase64(scanner, text, start, end, keyContext)) candidates.push(match)
  }
  if (candidates.length === 0) return NO_MATCHES
  return resolveOverlaps(candidates, entity => rules.ranks.get(entity) ?? 0).map(candidate => ({
    entity: candidate.entity,
    start: sourceStart(folded, candidate.start),
    end: sourceEnd(folded, candidate.end),
    score: scoreOf(candidate),
    rule: candidate.rule,
    context: candidate.words ?? wordsNear(scanner, candidate),
  }))
}

const NO_WORDS: readonly string[] = []
const wordsNear = ({ rules, context }: Scanner, candidate: Candidate): readonly string[] =>
  candidate.distance === NO_CONTEXT
    ? NO_WORDS
    : contextWords(context, topicOf(rules, candidate.entity), candidate)

/** Scans the text behind a base64 run; nested base64 is not decoded. The whole run becomes the match. */
const scanBase64 = (
  scanner: Scanner,
  text: string,
  start: number,
  end: number,
  keyContext: KeyContext,
): CandidateWithWords[] => {
  const decoded = decodeBase64Text(text, start, end)
  if (decoded === null) return []
  const inner = foldText(decoded).text
  const findings = findCandidates(scanner, inner, keyContext, false)
  if (findings === null) return []
  findCustom(scanner, inner, findings)
  return findings.matches.map(candidate => ({
    ...candidate,
    start,
    end,
    rule: `base64:${candidate.rule}`,
    words: wordsNear(scanner, candidate),
  }))
}

const CUSTOM_SCORE = 0.85

/** Adds the matches of custom rules outside placeholders. Both are in the order of the text, so each is read once. */
const findCustom = (
  { rules, context, checkTime }: Scanner,
  text: string,
  { matches, placeholders }: Findings,
): void => {
  for (const { label, expression, topic } of rules.custom) {
    checkTime()
    let next = 0
    for (const { 0: part, index: start } of text.matchAll(expression)) {
      const end = start + part.length
      while (next < placeholders.length && (placeholders[next] as Span)[1] <= start) next++
      if (next < placeholders.length && (placeholders[next] as Span)[0] < end) continue
      matches.push({
        entity: label,
        rule: 'custom',
        start,
        end,
        baseScore: CUSTOM_SCORE,
        contextScore: 1,
        distance: contextDistance(context, topic, start, end, CUSTOM_SCORE),
      })
    }
  }
}
type Span = Findings['placeholders'][number]

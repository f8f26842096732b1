import { decodeBase64Text } from './base64-text.ts'
import type { Rules } from './compile-rules.ts'
import { type Ambient, distanceTo, FAR, NO_AMBIENT, wordsNear } from './context.ts'
import { type Found, findCandidates, topicOf } from './find-candidates.ts'
import { fold, givenEnd, givenStart } from './fold.ts'
import type { Candidate, Match } from './match.ts'
import { resolveOverlaps, scoreOf } from './overlaps.ts'
import { type Unescaped, unescapings } from './unescape.ts'

/** Everything that the rules look for in a text; matches do not overlap, and stand in the order of the text. */
export const scanText = (text: string, rules: Rules): readonly Match[] => scanWithin(text, rules, NO_AMBIENT)

const NOTHING: readonly Match[] = []

type WithWords = Candidate & { words?: readonly string[] }

/** `ambient` are the words of the keys under which the text stands. */
export const scanWithin = (given: string, rules: Rules, ambient: Ambient): readonly Match[] => {
  const plain = scanPlain(given, rules, ambient)
  return mayHoldEscapes(given) ? withUnescaped(plain, given, rules, ambient) : plain
}

/** Two searches for one character cost next to nothing; most texts have neither. */
const mayHoldEscapes = (text: string): boolean =>
  (text.includes('%') || text.includes('&') || text.includes('\\u')) && ESCAPED.test(text)

/** Only escapes that stand for a digit, a letter, a space or a sign within a value. */
const ESCAPED = /%[2-7][0-9a-f]|&#|&[a-z]{2,8};|\\u00[2-7]/i

/** What is found once escapes are decoded (percent-encoding, HTML entities, JSON), beside what is found without. */
const withUnescaped = (
  plain: readonly Match[],
  given: string,
  rules: Rules,
  ambient: Ambient,
): readonly Match[] => {
  let last: Unescaped | null = null
  for (const unescaped of unescapings(given)) last = unescaped
  if (!last) return plain
  const { text, origin } = last
  const hidden = scanPlain(text, rules, ambient)
    .map(match => ({
      ...match,
      start: origin[match.start] as number,
      end: match.end < origin.length ? (origin[match.end] as number) : given.length,
    }))
    .filter(isApartFrom(plain))
  return hidden.length === 0 ? plain : [...plain, ...hidden].toSorted((a, b) => a.start - b.start)
}

/** Both lists are in the order of the text, so that each is read once. */
const isApartFrom = (others: readonly Match[]): ((match: Match) => boolean) => {
  let next = 0
  return ({ start, end }) => {
    while (next < others.length && (others[next] as Match).end <= start) next++
    return next === others.length || (others[next] as Match).start >= end
  }
}

const scanPlain = (given: string, rules: Rules, ambient: Ambient): readonly Match[] => {
  const folded = fold(given)
  const { text } = folded
  const found = findCandidates(text, rules, ambient, true)
  if (found === null) return NOTHING
  const candidates: WithWords[] = found.matches
  findCustom(text, rules, found)
  // The words are asked for before the next text is scanned, which that of base64 is.
  if (found.base64.length > 0) {
    for (const candidate of candidates) candidate.words = wordsOf(candidate, rules)
    for (const [start, end] of found.base64)
      for (const match of scanBase64(text, start, end, rules, ambient)) candidates.push(match)
  }
  if (candidates.length === 0) return NOTHING
  return resolveOverlaps(candidates, entity => rules.rank.get(entity) ?? 0).map(candidate => ({
    entity: candidate.entity,
    start: givenStart(folded, candidate.start),
    end: givenEnd(folded, candidate.end),
    score: scoreOf(candidate),
    rule: candidate.rule,
    context: candidate.words ?? wordsOf(candidate, rules),
  }))
}

const NO_WORDS: readonly string[] = []
const wordsOf = (candidate: Candidate, rules: Rules): readonly string[] =>
  candidate.distance === FAR ? NO_WORDS : wordsNear(topicOf(rules, candidate.entity), candidate)

/** What base64 holds is looked at once; of what is found there, the whole run is the match. */
const scanBase64 = (
  text: string,
  start: number,
  end: number,
  rules: Rules,
  ambient: Ambient,
): WithWords[] => {
  const decoded = decodeBase64Text(text, start, end)
  if (decoded === null) return []
  const inner = fold(decoded).text
  const found = findCandidates(inner, rules, ambient, false)
  if (found === null) return []
  findCustom(inner, rules, found)
  return found.matches.map(candidate => ({
    ...candidate,
    start,
    end,
    rule: `base64:${candidate.rule}`,
    words: wordsOf(candidate, rules),
  }))
}

const CUSTOM_SCORE = 0.85

/** Placeholders and matches both stand in the order of the text: neither is read twice for one expression. */
const findCustom = (text: string, rules: Rules, { matches, placeholders }: Found): void => {
  for (const { label, expression, topic } of rules.custom) {
    let next = 0
    for (const { 0: part, index: start } of text.matchAll(expression)) {
      const end = start + part.length
      while (next < placeholders.length && (placeholders[next] as Place)[1] <= start) next++
      if (next < placeholders.length && (placeholders[next] as Place)[0] < end) continue
      const distance = distanceTo(topic, start, end, CUSTOM_SCORE)
      matches.push({
        entity: label,
        rule: 'custom',
        start,
        end,
        alone: CUSTOM_SCORE,
        together: 1,
        distance,
      })
    }
  }
}
type Place = Found['placeholders'][number]

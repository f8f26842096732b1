import { decodeBase64Text } from './base64-text.ts'
import type { Rules } from './compile-rules.ts'
import { type Ambient, findContext, NO_AMBIENT } from './context.ts'
import { type Found, findCandidates } from './find-candidates.ts'
import { type Folded, fold, givenSpan } from './fold.ts'
import type { Match } from './match.ts'
import { resolveOverlaps } from './overlaps.ts'

/** Everything that the rules look for in a text; matches do not overlap, and stand in the order of the text. */
export const scanText = (text: string, rules: Rules): Match[] => scanWithin(text, rules, NO_AMBIENT)

type Scored = Match & { distance: number }

/** `ambient` are the words of the keys under which the text stands. */
export const scanWithin = (given: string, rules: Rules, ambient: Ambient): Match[] => {
  const folded = fold(given)
  const matches = collect(folded, rules, ambient, true)
  if (matches.length === 0) return []
  return resolveOverlaps(matches, entity => rules.rank.get(entity) ?? 0).map(({ distance: _, ...match }) => {
    const [start, end] = givenSpan(folded, match.start, match.end)
    return { ...match, start, end }
  })
}

const collect = ({ text }: Folded, rules: Rules, ambient: Ambient, decode: boolean): Scored[] => {
  const found = findCandidates(text, rules, ambient, decode)
  const matches: Scored[] = found.matches
  findCustom(text, rules, found, ambient, matches)
  for (const [start, end] of found.base64) matches.push(...scanBase64(text, start, end, rules, ambient))
  return matches
}

/** What base64 holds is looked at once; of what is found there, the whole run is the match. */
const scanBase64 = (text: string, start: number, end: number, rules: Rules, ambient: Ambient): Scored[] => {
  const decoded = decodeBase64Text(text, start, end)
  if (decoded === null) return []
  return collect(fold(decoded), rules, ambient, false).map(match => ({
    ...match,
    start,
    end,
    rule: `base64:${match.rule}`,
  }))
}

const CUSTOM_SCORE = 0.85
const CUSTOM_IN_CONTEXT = 1

const findCustom = (
  text: string,
  rules: Rules,
  { hits, placeholders }: Found,
  ambient: Ambient,
  matches: Scored[],
): void => {
  for (const { label, expression, topic } of rules.custom)
    for (const { 0: part, index: start } of text.matchAll(expression)) {
      const end = start + part.length
      if (end === start || placeholders.some(([from, to]) => start < to && from < end)) continue
      const { words, distance } = findContext({ text, hits, ambient }, topic, {
        start,
        end,
        alone: CUSTOM_SCORE,
      })
      const score = words.length > 0 ? CUSTOM_IN_CONTEXT : CUSTOM_SCORE
      matches.push({ entity: label, start, end, score, rule: 'custom', context: words, distance })
    }
}

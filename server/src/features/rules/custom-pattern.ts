import { judgeSearch } from '../../core/linear-pattern.ts'

/** A customer's own regular expression, as a rule names it. */
export type CustomRule = { label: string; pattern: string; ignoreCase?: boolean; words?: readonly string[] }

export type CustomFault = 'invalid' | 'unsupported' | 'slow' | 'too_long' | 'matches_nothing'

/** What to say to who wrote it. */
export const CUSTOM_FAULTS: Record<CustomFault, string> = {
  invalid: 'The pattern is not a regular expression. Correct it and save it again.',
  unsupported:
    'The pattern looks around or back, which is not allowed here. Describe only the text to be found.',
  slow: 'The pattern could take too long on some texts. Give repeats an upper bound, such as \\d{1,12}, and let neighbouring parts begin differently.',
  too_long: 'The pattern is longer than 200 characters. Split it into several rules.',
  matches_nothing: 'The pattern also fits an empty text. Let it ask for at least one character.',
}

const LONGEST_PATTERN = 200
/** Ways through one place of a text. A backtracking engine may try each of them at every place. */
const MOST_WAYS = 64

/**
 * Whether a pattern may search texts of strangers. The engine is V8's own, which backtracks: a pattern passes only where a
 * search with it, which begins anew at every character, takes linear time.
 */
export const judgeCustomPattern = ({ pattern, ignoreCase }: CustomRule): CustomFault | null => {
  if (pattern.length > LONGEST_PATTERN) return 'too_long'
  const flags = ignoreCase ? 'iu' : 'u'
  const fault = judgeSearch(pattern, flags)
  if (fault !== null) return fault
  if (new RegExp(`^(?:${pattern})$`, flags).test('')) return 'matches_nothing'
  return countWays(pattern) > MOST_WAYS ? 'slow' : null
}

const WAYS = /\\.|\[(?:\\.|[^\]\\])*\]|\{(\d+)(?:,(\d*))?\}|[?|]/g

/** Bounded repeats, options and alternatives multiply; what is unbounded is judged by its automaton. */
const countWays = (pattern: string): number => {
  let ways = 1
  for (const [sign, least, most] of pattern.matchAll(WAYS)) {
    if (sign === '|' || sign === '?') ways *= 2
    else if (least !== undefined && most) ways *= Math.max(1, Number(most) - Number(least) + 1)
  }
  return ways
}

export type CompiledCustom = { label: string; expression: RegExp; topic: number }

/** Throws where the pattern was never judged good: nothing else may reach the engine. */
export const compileCustom = (rule: CustomRule, topic: number): CompiledCustom => {
  const fault = judgeCustomPattern(rule)
  if (fault) throw new Error(`${rule.label}: ${CUSTOM_FAULTS[fault]}`)
  return { label: rule.label, expression: new RegExp(rule.pattern, rule.ignoreCase ? 'giu' : 'gu'), topic }
}

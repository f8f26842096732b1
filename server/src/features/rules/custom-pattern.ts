import { findSearchFault } from '../../core/linear-pattern.ts'
import { type PatternNode, parsePattern } from '../../core/pattern-syntax.ts'

/** A customer's own regular expression, as a rule names it. */
export type CustomPattern = { pattern: string; ignoreCase?: boolean | undefined }
export type CustomRule = CustomPattern & { label: string; words?: readonly string[] }

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
/** Repeats without an upper bound. To judge many of them takes longer than anyone waits for a rule to be saved. */
const MOST_LOOPS = 4

/**
 * Whether a pattern may search texts of strangers. The engine is V8's own, which backtracks: a pattern passes only where a
 * search with it, which begins anew at every character, takes linear time.
 */
export const judgeCustomPattern = (rule: CustomPattern): CustomFault | null => {
  const earlier = recallVerdict(rule)
  if (earlier !== undefined) return earlier
  const verdict = judge(rule.pattern, flagsOf(rule))
  rememberVerdict(rule, verdict)
  return verdict
}

/** Patterns are judged when they are saved, and again wherever they are compiled. A verdict never changes. */
const verdicts = new Map<string, CustomFault | null>()
const MAX_VERDICTS = 10_000

/** Undefined where the pattern was not judged in this thread. */
export const recallVerdict = (rule: CustomPattern): CustomFault | null | undefined => {
  const verdict = verdicts.get(keyOf(rule))
  if (verdict !== undefined) rememberVerdict(rule, verdict)
  return verdict
}

/** Also for what another thread has judged. */
export const rememberVerdict = (rule: CustomPattern, verdict: CustomFault | null): void => {
  const key = keyOf(rule)
  // The most recently used ones are at the end.
  verdicts.delete(key)
  verdicts.set(key, verdict)
  const [oldest] = verdicts.keys()
  if (verdicts.size > MAX_VERDICTS && oldest !== undefined) verdicts.delete(oldest)
}

const flagsOf = ({ ignoreCase }: CustomPattern): 'u' | 'iu' => (ignoreCase ? 'iu' : 'u')
const keyOf = (rule: CustomPattern): string => `${flagsOf(rule)} ${rule.pattern}`

const judge = (pattern: string, flags: 'u' | 'iu'): CustomFault | null => {
  if (pattern.length > LONGEST_PATTERN) return 'too_long'
  const parsed = parsePattern(pattern, flags)
  if (typeof parsed === 'string') return parsed
  if (new RegExp(`^(?:${pattern})$`, flags).test('')) return 'matches_nothing'
  return countLoops(parsed) > MOST_LOOPS || countWays(parsed) > MOST_WAYS
    ? 'slow'
    : findSearchFault(pattern, flags)
}

/** Options, alternatives and bounded repeats multiply; what is unbounded is judged by its automaton. */
const countWays = (node: PatternNode): number => {
  switch (node.kind) {
    case 'set':
      return 1
    case 'group':
      return countWays(node.part)
    case 'optional':
      return countWays(node.part) + 1
    case 'sequence':
      return node.parts.reduce((ways, part) => ways * countWays(part), 1)
    case 'choice':
      return node.parts.reduce((ways, part) => ways + countWays(part), 0)
    case 'repeat':
      return countRepeats(countWays(node.part), node.atLeast, node.atMost)
  }
}

const countLoops = (node: PatternNode): number => {
  if (node.kind === 'set') return 0
  if ('parts' in node) return node.parts.reduce((loops, part) => loops + countLoops(part), 0)
  return countLoops(node.part) + (node.kind === 'repeat' && node.atMost > MOST_WAYS ? 1 : 0)
}

/** One way or more for each number of times; past the limit it no longer matters how many. */
const countRepeats = (each: number, atLeast: number, atMost: number): number => {
  if (atMost === Number.POSITIVE_INFINITY) return each
  let ways = 0
  for (let times = atLeast; times <= atMost && ways <= MOST_WAYS; times++) ways += each ** times
  return ways
}

export type CompiledCustom = { label: string; expression: RegExp; topic: number }

/** Throws where the pattern was never judged good: nothing else may reach the engine. */
export const compileCustom = (rule: CustomRule, topic: number): CompiledCustom => {
  const fault = judgeCustomPattern(rule)
  if (fault) throw new Error(`${rule.label}: ${CUSTOM_FAULTS[fault]}`)
  return { label: rule.label, expression: new RegExp(rule.pattern, rule.ignoreCase ? 'giu' : 'gu'), topic }
}

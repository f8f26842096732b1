import { checkSearchPattern } from '../patterns/linear-pattern.ts'
import { type PatternNode, parsePattern } from '../patterns/pattern-syntax.ts'

/** A regular expression of a custom rule, in JavaScript's syntax with the `u` flag. */
export type CustomPattern = { pattern: string; ignoreCase?: boolean | undefined }

/** A rule with a regular expression of its own. */
export type CustomRule = CustomPattern & {
  /** The name of the entity: `[A-Z][A-Z0-9_]{0,63}`. */
  label: string
  /** Single words nearby that raise the score. */
  words?: readonly string[]
  /** Of overlapping matches, the one with the higher rank is kept. Default: 0. */
  rank?: number
}

/** Why a custom pattern is rejected. */
export type CustomPatternFault = 'invalid' | 'unsupported' | 'slow' | 'too_long' | 'matches_nothing'

/** A function with the signature of `checkCustomPattern`. */
export type CheckPattern = (rule: CustomPattern) => CustomPatternFault | null

/** A message for each reason to reject a custom pattern. */
export const CUSTOM_PATTERN_FAULTS: Record<CustomPatternFault, string> = {
  invalid: 'The pattern is not a regular expression. Correct it and save it again.',
  unsupported: 'Lookaround and backreferences are not supported. Describe only the text to find.',
  slow: 'The pattern could take too long on some texts. Give repeats an upper bound, such as \\d{1,12}, and let neighboring parts start with different characters.',
  too_long: 'The pattern is longer than 200 characters. Split it into several rules.',
  matches_nothing: 'The pattern also matches an empty text. Require at least one character.',
}

const MAX_PATTERN_LENGTH = 200
/** The number of paths through the pattern at one position. A backtracking engine may try all of them at every position. */
const MAX_PATHS = 64
/** Repeats without an upper bound. The check takes too long with more of them. */
const MAX_LOOPS = 4

/**
 * Checks whether a pattern may search untrusted texts. V8's engine backtracks, so a pattern is accepted only if a search,
 * which restarts at every character, takes linear time. Returns null if it is accepted. May take a quarter of a second.
 */
export const checkCustomPattern: CheckPattern = ({ pattern, ignoreCase }) => {
  const flags = ignoreCase ? 'iu' : 'u'
  if (pattern.length > MAX_PATTERN_LENGTH) return 'too_long'
  const parsed = parsePattern(pattern, flags)
  if (typeof parsed === 'string') return parsed
  if (new RegExp(`^(?:${pattern})$`, flags).test('')) return 'matches_nothing'
  return countLoops(parsed) > MAX_LOOPS || countPaths(parsed) > MAX_PATHS
    ? 'slow'
    : checkSearchPattern(pattern, flags)
}

/** Optional parts, alternatives and bounded repeats multiply. Unbounded repeats are checked with the automaton. */
const countPaths = (node: PatternNode): number => {
  switch (node.kind) {
    case 'set':
      return 1
    case 'group':
      return countPaths(node.part)
    case 'optional':
      return countPaths(node.part) + 1
    case 'sequence':
      return node.parts.reduce((paths, part) => paths * countPaths(part), 1)
    case 'choice':
      return node.parts.reduce((paths, part) => paths + countPaths(part), 0)
    case 'repeat':
      return countRepeatPaths(countPaths(node.part), node.atLeast, node.atMost)
  }
}

const countLoops = (node: PatternNode): number => {
  if (node.kind === 'set') return 0
  if ('parts' in node) return node.parts.reduce((loops, part) => loops + countLoops(part), 0)
  return countLoops(node.part) + (node.kind === 'repeat' && node.atMost > MAX_PATHS ? 1 : 0)
}

/** Adds the paths for each number of repetitions, until the limit is exceeded. */
const countRepeatPaths = (each: number, atLeast: number, atMost: number): number => {
  if (atMost === Number.POSITIVE_INFINITY) return each
  let paths = 0
  for (let times = atLeast; times <= atMost && paths <= MAX_PATHS; times++) paths += each ** times
  return paths
}

export type CompiledCustomRule = { label: string; expression: RegExp; topic: number }

/** Throws unless the pattern passes the check: no other pattern may reach the engine. */
export const compileCustomRule = (
  rule: CustomRule,
  topic: number,
  checkPattern: CheckPattern,
): CompiledCustomRule => {
  const fault = checkPattern(rule)
  if (fault) throw new Error(`${rule.label}: ${CUSTOM_PATTERN_FAULTS[fault]}`)
  return { label: rule.label, expression: new RegExp(rule.pattern, rule.ignoreCase ? 'giu' : 'gu'), topic }
}

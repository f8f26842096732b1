const MAX_PATTERN_LENGTH = 200
/** Number of ways to match one prefix of the text. Each costs one pass over it. */
const MAX_PATHS = 1000

const ATOM = /\\[dDwWsS.^$*+?()[\]{}|/\\-]|\[\^?(?:\\[dDwWsS\]\\^-]|[^\]\\])+\]|[^\\[\](){}*+?|^$]/y
const QUANTIFIER = /[*+?]\??|\{(\d{1,3})(,(\d{0,3}))?\}\??/y

/**
 * Whether a provider's pattern runs in linear time, decided without running it. A backtracking engine is safe on a
 * small language: anchored at the start, quantifiers on single characters and classes only, at most one of them
 * unbounded, and at most a thousand paths through the others and the alternatives. Groups are not repeated, and there
 * are no lookarounds or back-references. Other patterns are not run, because the provider validates its own input. Decision 24
 * compares this with the automaton of `@carabiner/detection/patterns`.
 */
export const isLinear = (pattern: string): boolean => patternCost(pattern) !== null

/** The number of passes over a text that a linear pattern may take; null if the pattern may not be linear. */
export const patternCost = (pattern: string): number | null => {
  if (pattern.length > MAX_PATTERN_LENGTH || !pattern.startsWith('^')) return null
  let position = 1
  /** Number of alternatives of each open group. */
  const groups: number[] = []
  let unbounded = 0
  let paths = 1
  const take = (part: RegExp): RegExpExecArray | null => {
    part.lastIndex = position
    const result = part.exec(pattern)
    if (result) position = part.lastIndex
    return result
  }
  while (position < pattern.length) {
    if (take(ATOM)) {
      const quantifier = take(QUANTIFIER)
      if (!quantifier) continue
      const range = rangeOf(quantifier)
      if (range === Number.POSITIVE_INFINITY) unbounded++
      else paths *= range
    } else if (take(/\((?:\?:)?/y)) groups.push(1)
    else if (groups.length > 0 && take(/\)/y)) {
      paths *= groups.pop() ?? 1
      // Repeated groups are the cause of exponential backtracking.
      if (take(QUANTIFIER)) return null
    } else if (groups.length > 0 && take(/\|/y)) groups[groups.length - 1]! += 1
    else if (position === pattern.length - 1 && take(/\$/y)) continue
    else return null
    if (unbounded > 1 || paths > MAX_PATHS) return null
  }
  return groups.length === 0 && compiles(pattern) ? paths : null
}

const compiles = (pattern: string): boolean => {
  try {
    return new RegExp(pattern, 'u').source !== ''
  } catch {
    return false
  }
}

const rangeOf = ([text, min, comma, max]: RegExpExecArray): number => {
  if (text.startsWith('?')) return 2
  if (min === undefined) return Number.POSITIVE_INFINITY
  if (comma === undefined) return 1
  return max === '' || max === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(1, Number(max) - Number(min) + 1)
}

const LONGEST_PATTERN = 200
/** Ways to match one prefix of the text. Each of them costs one walk over it. */
const MOST_WAYS = 1000

const ATOM = /\\[dDwWsS.^$*+?()[\]{}|/\\-]|\[\^?(?:\\[dDwWsS\]\\^-]|[^\]\\])+\]|[^\\[\](){}*+?|^$]/y
const QUANTIFIER = /[*+?]\??|\{(\d{1,3})(,(\d{0,3}))?\}\??/y

/**
 * Whether a third party's pattern runs in time linear in the text, decided without running it. A backtracking engine is safe
 * on a small language: from the start of the text, characters and classes with quantifiers on them alone, at most one of them
 * without bound, and at most a thousand ways through all the others and the alternatives. Groups may hold alternatives but are
 * not repeated; nothing looks around or back. What does not fit is not run here: the third party checks its own input.
 */
export const isLinear = (pattern: string): boolean => patternCost(pattern) !== null

/** How many times a text may be walked over by a linear pattern; null where the pattern may not be linear. */
export const patternCost = (pattern: string): number | null => {
  if (pattern.length > LONGEST_PATTERN || !pattern.startsWith('^')) return null
  let position = 1
  /** Alternatives of the groups that are open. */
  const groups: number[] = []
  let unbounded = 0
  let ways = 1
  const take = (part: RegExp): RegExpExecArray | null => {
    part.lastIndex = position
    const match = part.exec(pattern)
    if (match) position = part.lastIndex
    return match
  }
  while (position < pattern.length) {
    if (take(ATOM)) {
      const quantifier = take(QUANTIFIER)
      if (!quantifier) continue
      const range = rangeOf(quantifier)
      if (range === Number.POSITIVE_INFINITY) unbounded++
      else ways *= range
    } else if (take(/\((?:\?:)?/y)) groups.push(1)
    else if (groups.length > 0 && take(/\)/y)) {
      ways *= groups.pop() ?? 1
      // A group that repeats is where a pattern starts to explode.
      if (take(QUANTIFIER)) return null
    } else if (groups.length > 0 && take(/\|/y)) groups[groups.length - 1]! += 1
    else if (position === pattern.length - 1 && take(/\$/y)) continue
    else return null
    if (unbounded > 1 || ways > MOST_WAYS) return null
  }
  return groups.length === 0 && compiles(pattern) ? ways : null
}

const compiles = (pattern: string): boolean => {
  try {
    return new RegExp(pattern, 'u').source !== ''
  } catch {
    return false
  }
}

const rangeOf = ([text, least, comma, most]: RegExpExecArray): number => {
  if (text.startsWith('?')) return 2
  if (least === undefined) return Number.POSITIVE_INFINITY
  if (comma === undefined) return 1
  return most === '' || most === undefined
    ? Number.POSITIVE_INFINITY
    : Math.max(1, Number(most) - Number(least) + 1)
}

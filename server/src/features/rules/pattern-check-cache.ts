import { type CustomPattern, type CustomPatternFault, checkCustomPattern } from '@carabiner/detection'

/**
 * Results of `checkCustomPattern` in this thread. A pattern is checked when it is saved and again whenever its rules are
 * compiled, and its result never changes.
 */
const results = new Map<string, CustomPatternFault | null>()
const MAX_RESULTS = 10_000

/** Returns undefined if the pattern was not checked in this thread. */
export const cachedPatternFault = (rule: CustomPattern): CustomPatternFault | null | undefined => {
  const fault = results.get(keyOf(rule))
  if (fault !== undefined) cachePatternFault(rule, fault)
  return fault
}

/** Stores a result, also one of another thread. */
export const cachePatternFault = (rule: CustomPattern, fault: CustomPatternFault | null): void => {
  const key = keyOf(rule)
  // The most recently used results are at the end.
  results.delete(key)
  results.set(key, fault)
  const [oldest] = results.keys()
  if (results.size > MAX_RESULTS && oldest !== undefined) results.delete(oldest)
}

/** `checkCustomPattern` with a cache. */
export const checkPatternCached = (rule: CustomPattern): CustomPatternFault | null => {
  const cached = cachedPatternFault(rule)
  if (cached !== undefined) return cached
  const fault = checkCustomPattern(rule)
  cachePatternFault(rule, fault)
  return fault
}

const keyOf = ({ pattern, ignoreCase }: CustomPattern): string => `${ignoreCase ? 'iu' : 'u'} ${pattern}`

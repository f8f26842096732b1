import type { CustomPattern, CustomPatternFault } from '@carabiner/detection'
import { SECOND } from '../../core/duration.ts'
import type { IsolatedPool } from '../../platform/isolation/isolated-pool.ts'
import { cachedPatternFault, cachePatternFault, checkPatternCached } from './pattern-check-cache.ts'

/** Checking one pattern may take a quarter of a second. */
const CHECK_CPU_MS = 3 * SECOND

/** Returns the fault of each pattern, or null. Patterns that were not checked before are checked in a worker. */
export type CheckPatterns = (
  owner: string,
  patterns: readonly CustomPattern[],
) => Promise<(CustomPatternFault | null)[]>

/** The function throws an `IsolatedError` if the check takes too long. */
export const createPatternChecker =
  (isolated: IsolatedPool): CheckPatterns =>
  async (owner, patterns) => {
    const unknown = patterns.filter(pattern => cachedPatternFault(pattern) === undefined)
    if (unknown.length > 0) {
      const input = unknown.map(({ pattern, ignoreCase }) => ({ pattern, ignoreCase }))
      const faults = (await isolated.run(owner, 'check-patterns', input, {
        cpuMs: CHECK_CPU_MS,
      })) as (CustomPatternFault | null)[]
      for (const [n, pattern] of unknown.entries()) cachePatternFault(pattern, faults[n] ?? null)
    }
    return patterns.map(checkPatternCached)
  }

export const checkPatternsTask = (patterns: CustomPattern[]): (CustomPatternFault | null)[] =>
  patterns.map(checkPatternCached)

import { SECOND } from '../../core/duration.ts'
import type { IsolatedPool } from '../../platform/isolation/isolated-pool.ts'
import {
  type CustomFault,
  type CustomPattern,
  judgeCustomPattern,
  recallVerdict,
  rememberVerdict,
} from './custom-pattern.ts'

/** Judging one pattern may take a quarter of a second. */
const JUDGING_CPU_MS = 3 * SECOND

/** What is wrong with each pattern, or null. Patterns that were not judged before are judged in a worker. */
export type JudgePatterns = (
  owner: string,
  patterns: readonly CustomPattern[],
) => Promise<(CustomFault | null)[]>

/** The function throws an `IsolatedError` where judging takes too much. */
export const createPatternJudge =
  (isolated: IsolatedPool): JudgePatterns =>
  async (owner, patterns) => {
    const unknown = patterns.filter(pattern => recallVerdict(pattern) === undefined)
    if (unknown.length > 0) {
      const input = unknown.map(({ pattern, ignoreCase }) => ({ pattern, ignoreCase }))
      const verdicts = (await isolated.run(owner, 'judge-patterns', input, {
        cpuMs: JUDGING_CPU_MS,
      })) as (CustomFault | null)[]
      for (const [n, pattern] of unknown.entries()) rememberVerdict(pattern, verdicts[n] ?? null)
    }
    return patterns.map(judgeCustomPattern)
  }

export const judgePatternsTask = (patterns: CustomPattern[]): (CustomFault | null)[] =>
  patterns.map(judgeCustomPattern)

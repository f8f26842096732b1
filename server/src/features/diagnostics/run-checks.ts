import { SECOND } from '../../core/duration.ts'
import { type Check, type Finding, problem } from './checks/finding.ts'

const DEFAULT_TIMEOUT_MS = 10 * SECOND

/** Runs the checks one after another. Each has its own deadline, and a failing check does not stop the others. */
export const runChecks = async <Context>(
  checks: readonly Check<Context>[],
  context: Context,
  timeoutMs = DEFAULT_TIMEOUT_MS,
): Promise<Finding[]> => {
  const findings: Finding[] = []
  for (const check of checks) {
    const outcomes = await runCheck(check, context, timeoutMs)
    findings.push(...[outcomes].flat().map(outcome => ({ check: check.name, ...outcome })))
  }
  return findings
}

const runCheck = async <Context>(
  check: Check<Context>,
  context: Context,
  timeoutMs: number,
): ReturnType<Check['run']> => {
  const signal = AbortSignal.timeout(timeoutMs)
  const timeout = new Promise<never>((_, reject) => {
    signal.addEventListener('abort', () => reject(signal.reason))
  })
  try {
    return await Promise.race([check.run(context, signal), timeout])
  } catch (error) {
    if (signal.aborted)
      return problem(
        `No result within ${timeoutMs / SECOND} seconds.`,
        'The checked dependency does not respond. Check its load and the network to it.',
      )
    return problem(
      `The check failed: ${(error as Error).message}`,
      'Fix the cause, then run the command again.',
    )
  }
}

import { type Check, CheckRun, OutOfBudget, type SchemaIssue } from './check-run.ts'
import { prepareNode } from './node.ts'

export type { SchemaIssue } from './check-run.ts'

/**
 * Checks a value against a schema without generating code, and counts every step. A check that exceeds its budget is
 * aborted, so no schema or value can block the thread for longer. At most one issue is returned.
 */
export type SchemaCheck = (value: unknown, budget: number) => SchemaIssue | null | 'too_expensive'

/** About three milliseconds. Typical tool calls take a few hundred steps. */
export const INLINE_BUDGET = 100_000

/** `schema` must be the output of `checkingSchema`: no references and only supported keywords. */
export const prepareCheck = (schema: unknown): SchemaCheck => {
  const check: Check = prepareNode(schema)
  return (value, budget) => {
    const run = new CheckRun(budget)
    try {
      return check(value, run, null) ? null : run.issue
    } catch (error) {
      // A value nested too deeply for the stack also exceeds the budget.
      if (error instanceof OutOfBudget || error instanceof RangeError) return 'too_expensive'
      throw error
    }
  }
}

import { type Check, CheckRun, OutOfBudget, type SchemaIssue } from './check-run.ts'
import { prepareNode } from './node.ts'

export type { SchemaIssue } from './check-run.ts'

/**
 * Checks a value against a schema without generating code, and counts every step. A check that exceeds its budget is
 * aborted, so no schema or value can block the thread for longer. Returns the first issues of an invalid value, and null for a valid one.
 */
export type SchemaCheck = (value: unknown, budget: number) => SchemaIssues | null | 'too_expensive'
export type SchemaIssues = [SchemaIssue, ...SchemaIssue[]]

/** About three milliseconds. Typical tool calls take a few hundred steps. */
export const INLINE_BUDGET = 100_000

const NOT_VALID: SchemaIssue = { path: [], message: 'is not valid' }

/** `schema` must be the output of `checkingSchema`: no references and only supported keywords. */
export const prepareCheck = (schema: unknown): SchemaCheck => {
  const check: Check = prepareNode(schema)
  return (value, budget) => {
    const run = new CheckRun(budget)
    try {
      if (check(value, run, null)) return null
    } catch (error) {
      // A value nested too deeply for the stack also exceeds the budget.
      if (!(error instanceof OutOfBudget || error instanceof RangeError)) throw error
      if (run.issues.length === 0) return 'too_expensive'
    }
    const [first = NOT_VALID, ...more] = run.issues
    return [first, ...more]
  }
}

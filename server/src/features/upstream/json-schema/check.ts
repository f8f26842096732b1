import { type Check, CheckRun, OutOfBudget, prepareNode, type SchemaIssue } from './node.ts'

export type { SchemaIssue } from './node.ts'

/**
 * Checks a value against a schema without generating code, and counts every step. A check that reaches its budget ends, so no schema
 * and no value can occupy the thread for longer than that. At most one issue is kept.
 */
export type SchemaCheck = (value: unknown, budget: number) => SchemaIssue | null | 'too_expensive'

/** About three milliseconds. Ordinary tool calls take a few hundred steps. */
export const INLINE_BUDGET = 100_000

/** `schema` has no references and only keywords that `checkingSchema` keeps. */
export const prepareCheck = (schema: unknown): SchemaCheck => {
  const check: Check = prepareNode(schema)
  return (value, budget) => {
    const run = new CheckRun(budget)
    try {
      return check(value, run, null) ? null : run.issue
    } catch (error) {
      // A value nested deeper than the stack costs too much as well.
      if (error instanceof OutOfBudget || error instanceof RangeError) return 'too_expensive'
      throw error
    }
  }
}

/**
 * `name`: the missing or disallowed property, if the issue is about one. `allowed`: values that are valid here. `fields`: properties
 * that an object may have here, the most likely first.
 */
export type SchemaIssue = {
  path: string[]
  message: string
  name?: string
  allowed?: unknown[]
  fields?: string[]
}
type IssueDetails = Pick<SchemaIssue, 'name' | 'allowed' | 'fields'>

/** More would not help a model to correct its arguments. */
export const MAX_ISSUES = 10
/** Steps for finding further issues of a value that is known to be invalid: less than a millisecond. */
const EXPLAIN_BUDGET = 20_000

export class OutOfBudget extends Error {}

/** Properties and items of one value that a schema has evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export type Evaluated = { properties: Set<string>; items: Set<number> }

/** Returns whether the value is valid. Issues are reported to the run, unless it is probing. */
export type Check = (value: unknown, run: CheckRun, evaluated: Evaluated | null) => boolean

/** The state of one check: its remaining budget, the current path and the issues found. */
export class CheckRun {
  issues: SchemaIssue[] = []
  readonly path: (string | number)[] = []
  #budget: number
  #quiet = 0
  #explains = false

  constructor(budget: number) {
    this.#budget = budget
  }

  spend(steps: number): void {
    this.#budget -= steps
    if (this.#budget < 0) throw new OutOfBudget()
  }

  /** Whether issues are reported, and there is room for another one. A check of several parts then goes on after a failure. */
  get reports(): boolean {
    return this.#quiet === 0 && this.issues.length < MAX_ISSUES
  }

  /** `describe` runs only if the issue is reported. */
  fail(message: string, describe?: () => IssueDetails): false {
    if (this.reports) this.add({ path: this.path.map(String), message, ...describe?.() })
    return false
  }

  add(issue: SchemaIssue): void {
    this.startExplaining()
    const isSame = (other: SchemaIssue): boolean =>
      other.message === issue.message &&
      other.name === issue.name &&
      other.path.length === issue.path.length &&
      other.path.every((step, index) => step === issue.path[index])
    if (this.issues.length < MAX_ISSUES && !this.issues.some(isSame)) this.issues.push(issue)
  }

  /** The value is invalid; only the explanation is missing. */
  startExplaining(): void {
    if (!this.#explains) this.#budget = Math.min(this.#budget, EXPLAIN_BUDGET)
    this.#explains = true
  }

  /** The issues of a check, which are not reported; null if the budget is used up. */
  collect(check: Check, value: unknown): SchemaIssue[] | null {
    const reported = this.issues
    const depth = this.path.length
    this.issues = []
    try {
      check(value, this, null)
      return this.issues
    } catch (error) {
      if (error instanceof OutOfBudget) return null
      throw error
    } finally {
      this.issues = reported
      this.path.length = depth
    }
  }

  /** Runs a check whose failure is not reported as an issue. */
  probe(check: Check, value: unknown, evaluated: Evaluated | null): boolean {
    this.#quiet++
    try {
      return check(value, this, evaluated)
    } finally {
      this.#quiet--
    }
  }

  at(step: string | number, check: Check, value: unknown): boolean {
    this.path.push(step)
    const passed = check(value, this, null)
    this.path.pop()
    return passed
  }
}

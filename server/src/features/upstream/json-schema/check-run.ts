/** `name`: the missing or disallowed property, if the issue is about one. */
export type SchemaIssue = { path: string[]; message: string; name?: string }

export class OutOfBudget extends Error {}

/** Properties and items of one value that a schema has evaluated, for `unevaluatedProperties` and `unevaluatedItems`. */
export type Evaluated = { properties: Set<string>; items: Set<number> }

/** Returns whether the value is valid. Issues are reported to the run, unless it is probing. */
export type Check = (value: unknown, run: CheckRun, evaluated: Evaluated | null) => boolean

/** The state of one check: its remaining budget, the current path and the first issue found. */
export class CheckRun {
  issue: SchemaIssue = { path: [], message: 'is not valid' }
  readonly path: (string | number)[] = []
  #budget: number
  #quiet = 0
  #reported = false

  constructor(budget: number) {
    this.#budget = budget
  }

  spend(steps: number): void {
    this.#budget -= steps
    if (this.#budget < 0) throw new OutOfBudget()
  }

  fail(message: string, name?: string): false {
    if (this.#quiet === 0 && !this.#reported) {
      this.#reported = true
      this.issue = { path: this.path.map(String), message, ...(name !== undefined && { name }) }
    }
    return false
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

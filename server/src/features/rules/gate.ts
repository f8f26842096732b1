import type { RuleDirection } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { capacityExceeded } from '../../edge/capacity-exceeded.ts'
import { IsolatedError, type IsolatedPool } from '../../platform/isolation/isolated-pool.ts'
import type { CompiledRuleSet } from './compile-rule-set.ts'
import { type Decision, decide, type Violation } from './decide-action.ts'
import { decideIsolated, isLarge } from './isolated-decide.ts'

export type RecordedViolation = Violation & { dry_run: boolean }

/** Applies the rules to the values of one call and collects the violations. */
export type Gate = {
  /** Returns the value after redaction. Throws if the value is blocked or the rules cannot be applied. */
  pass(direction: RuleDirection, value: unknown): unknown
  /** Like `pass`, but scans large values in a worker. */
  passAny(direction: RuleDirection, value: unknown): Promise<unknown>
}

export type GateDeps = {
  isolated: IsolatedPool
  organizationId: string
  /** Called with the error if the rules could not be applied. */
  onFault: (error: unknown) => void
  /** Receives every violation, including those of calls that fail. */
  violations: RecordedViolation[]
}

export const openGate = (
  rules: CompiledRuleSet,
  { isolated, organizationId, onFault, violations }: GateDeps,
): Gate => {
  const admit = (direction: RuleDirection, decision: Decision): unknown => {
    addViolations(violations, decision.matches, rules.dryRun)
    if (decision.action === 'block') throw blocked(direction, decision.matches)
    return decision.value
  }
  const refuse = (direction: RuleDirection, error: unknown): never => {
    // The call has not been sent yet, so the caller may retry.
    if (direction === 'inbound' && error instanceof IsolatedError && error.failure === 'busy')
      throw capacityExceeded(error)
    onFault(error)
    throw new Refusal('security_rule_blocked', {
      message: RULES_NOT_APPLIED[direction],
      retryable: false,
      cause: error,
    })
  }
  const pass = (direction: RuleDirection, value: unknown): unknown => {
    let decision: Decision
    try {
      decision = decide(rules, direction, value)
    } catch (error) {
      return refuse(direction, error)
    }
    return admit(direction, decision)
  }
  return {
    pass,
    passAny: async (direction, value) => {
      if (rules[direction] === null || !isLarge(rules, value)) return pass(direction, value)
      const decision = await decideIsolated(isolated, organizationId, rules, direction, value).catch(
        (error: unknown) => refuse(direction, error),
      )
      return admit(direction, decision)
    },
  }
}

/** Merges violations, because a call may be scanned in several parts. */
const addViolations = (all: RecordedViolation[], more: readonly Violation[], dryRun: boolean): void => {
  for (const violation of more) {
    const same = all.find(
      ({ entity, rule, direction, action }) =>
        entity === violation.entity &&
        rule === violation.rule &&
        direction === violation.direction &&
        action === violation.action,
    )
    if (!same) all.push({ ...violation, dry_run: dryRun })
    else {
      same.count += violation.count
      same.score = Math.max(same.score, violation.score)
    }
  }
}

const RULES_NOT_APPLIED: Record<RuleDirection, string> = {
  inbound:
    'The security rules could not be applied to the arguments, so the call was not made. Send a smaller request. If the error persists, contact the operator of this service.',
  outbound:
    'The security rules could not be applied to the result, so the result was withheld. The call was made. Request less data. If the error persists, contact the operator of this service.',
}

const MAX_NAMED_ENTITIES = 5

/** The message names the entities, never the matched value. */
const blocked = (direction: RuleDirection, matches: readonly Violation[]): Refusal => {
  const names = new Set(matches.filter(({ action }) => action === 'block').map(({ entity }) => entity))
  const named = [...names].slice(0, MAX_NAMED_ENTITIES).join(', ')
  const message =
    direction === 'inbound'
      ? `A security rule fired (${named}): the arguments contain data that must not be sent, so the call was not made. Remove the data and call again.`
      : `A security rule fired (${named}): the result contains data that must not be returned, so it was withheld. The call was made. Do not repeat it unchanged.`
  return new Refusal('security_rule_blocked', { message, retryable: false })
}

import type { RuleDirection } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { capacityExceeded } from '../../edge/capacity-exceeded.ts'
import { IsolatedError, type IsolatedPool } from '../../platform/isolation/isolated-pool.ts'
import type { CompiledRuleSet } from './compile-rule-set.ts'
import { type Decision, decide, type Violation } from './decide.ts'
import { decideIsolated, isLarge } from './isolated-decide.ts'

/** A violation as it is recorded. */
export type RecordedViolation = Violation & { dry_run: boolean }

/** What everything of one call goes through, and what was found on the way. */
export type Gate = {
  /** What may pass of a short value. Throws where nothing may, or where that cannot be decided. */
  pass(direction: RuleDirection, value: unknown): unknown
  /** The same for a value of any size: a large one is scanned in a worker. */
  passAny(direction: RuleDirection, value: unknown): Promise<unknown>
}

export type GateDeps = {
  isolated: IsolatedPool
  organizationId: string
  /** Hears why the rules could not be applied. */
  onFault: (error: unknown) => void
  /** Collects what was found, whatever becomes of the call. */
  violations: RecordedViolation[]
}

export const openGate = (
  rules: CompiledRuleSet,
  { isolated, organizationId, onFault, violations }: GateDeps,
): Gate => {
  const admit = (direction: RuleDirection, decision: Decision): unknown => {
    note(violations, decision.matches, rules.dryRun)
    if (decision.action === 'block') throw blocked(direction, decision.matches)
    return decision.value
  }
  const refuse = (direction: RuleDirection, error: unknown): never => {
    // Nothing was sent yet: the caller may try again.
    if (direction === 'inbound' && error instanceof IsolatedError && error.failure === 'busy')
      throw capacityExceeded(error)
    onFault(error)
    throw new Refusal('security_rule_blocked', {
      message: UNJUDGED[direction],
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

/** A result that comes in several pieces is one call: what they have in common is counted together. */
const note = (all: RecordedViolation[], more: readonly Violation[], dryRun: boolean): void => {
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

const UNJUDGED: Record<RuleDirection, string> = {
  inbound:
    'The security rules could not be applied to the arguments, so the call was not made. Send less at once; if it stays so, tell who runs this service.',
  outbound:
    'The security rules could not be applied to the result, so nothing of it is handed on. The call was made. Ask for less at once; if it stays so, tell who runs this service.',
}

const MOST_NAMED = 5

/** Says what fired, never on which value. */
const blocked = (direction: RuleDirection, matches: readonly Violation[]): Refusal => {
  const names = new Set(matches.filter(({ action }) => action === 'block').map(({ entity }) => entity))
  const named = [...names].slice(0, MOST_NAMED).join(', ')
  const message =
    direction === 'inbound'
      ? `A security rule fired (${named}): the arguments hold what must not be sent, so the call was not made. Leave it out and call again.`
      : `A security rule fired (${named}): the result holds what must not be handed on, so nothing of it is. The call was made: do not repeat it as it is.`
  return new Refusal('security_rule_blocked', { message, retryable: false })
}

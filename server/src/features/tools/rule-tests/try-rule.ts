import { type PolicyRuleTested, policyBounds, type TestedDecision } from '@carabiner/contract'
import { DAY, SECOND } from '../../../core/duration.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import { nextTurn } from '../../../platform/isolation/next-turn.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import type { Connectors } from '../../connectors/availability.ts'
import type { CallRecord, Owner } from '../../metering/records/call-record.ts'
import { readRecordedBatches } from '../../metering/records/recorded-arguments.ts'
import type { PolicyOwner } from '../../policies/policy-store.ts'
import {
  createRuleTrial,
  type RuleToTry,
  type RuleTrial,
  type TrialVerdict,
} from '../../policies/rule-trial.ts'
import { toolName } from '../admission/tool-names.ts'
import { isRawRequest, readRecordedFacts } from './recorded-facts.ts'

export type TryDeps = { db: Database; lists: ReadDatabase; vault: Vault; connectors: Connectors }
export type TryBounds = { records: number; ms: number; now: () => number }
export const TRY_BOUNDS: TryBounds = {
  records: policyBounds.testedCalls,
  ms: 2 * SECOND,
  now: () => performance.now(),
}
const MAX_EXAMPLES = 5

type Tested = NonNullable<PolicyRuleTested['calls']>
type Example = Tested['examples'][number]

/** What an unsaved rule would have done to recorded calls, newest first. Its cost is bounded, and other requests run between two calls. */
export const tryRule = async (
  deps: TryDeps,
  caller: Owner,
  { toolPackId }: PolicyOwner,
  toTry: RuleToTry,
  { records, ms, now }: TryBounds = TRY_BOUNDS,
): Promise<Tested> => {
  const deadline = now() + ms
  const since = new Date(Date.now() - policyBounds.testedDays * DAY)
  const trial = await createRuleTrial(toTry)
  const needsPayload = (call: CallRecord): boolean =>
    isDecided(deps, trial, call) && (trial.reads.args || isRawRequest(deps, call))
  const selection = { since, toolPackId, connector: onlyConnector(toTry.rule.tools) }
  const counter = createCounter()
  let read = 0
  let last: Date | null = null
  const ended = (limit: Tested['limit']): Tested => ({
    since: since.toISOString(),
    covered_since: (limit === null ? since : (last ?? new Date())).toISOString(),
    limit,
    ...counter.result(),
  })
  for await (const { calls, open } of readRecordedBatches(deps, caller, selection, needsPayload)) {
    const decided = calls.filter(call => isDecided(deps, trial, call))
    const factsOf = await readRecordedFacts(deps, caller.organizationId, decided, trial.reads)
    for (const call of calls) {
      if (read >= records) return ended('records')
      if (now() > deadline) return ended('time')
      read++
      last = call.startedAt
      if (!decided.includes(call)) continue
      await nextTurn()
      const args = needsPayload(call) ? await open(call) : null
      const facts = factsOf(call, args)
      if (facts && !facts.tools.some(({ name }) => trial.isFor(name))) continue
      const lacksArguments = args === null && (trial.ownReads.args || isRawRequest(deps, call))
      counter.add(call, lacksArguments, facts && (await trial.decide(facts)))
    }
    // Batches can be empty.
    if (now() > deadline) return ended('time')
  }
  return ended(null)
}

/** Steps after which a call was carried out. */
const AFTER_PROVIDER: ReadonlySet<string | null> = new Set([null, 'provider', 'result_rules', 'settlement'])
const CARRIED_OUT: ReadonlySet<string> = new Set(['success', 'error', 'blocked', 'unknown', 'withheld'])

/**
 * Calls of the rule's tools that were carried out, or that a policy denied. A call that waits for an account or an approval is recorded again
 * when it runs.
 */
const isDecided = (deps: TryDeps, { isFor, isOfConnector }: RuleTrial, call: CallRecord): boolean => {
  const { connectorSlug: slug, outcome, endedAtStep: step } = call
  if (slug === '' || !CARRIED_OUT.has(outcome)) return false
  if (!AFTER_PROVIDER.has(step) && step !== 'policy' && step !== 'policy_hooks') return false
  // A raw request takes the rules of the tools with the same operation.
  return isFor(toolName(slug, call.tool)) || (isOfConnector(slug) && isRawRequest(deps, call))
}

/** The connector that all of the tools belong to; null if there are several. */
const onlyConnector = (tools: readonly string[]): string | null => {
  const [slug, ...others] = new Set(
    tools.map(name => (name === '*' ? null : name.slice(0, name.indexOf('__')))),
  )
  return others.length > 0 ? null : (slug ?? null)
}

const createCounter = () => {
  const counts = { checked: 0, matched: 0, failed: 0, undecided: 0, without_arguments: 0 }
  const decisions: Record<TestedDecision, number> = { deny: 0, ask: 0, allow: 0, hook: 0 }
  const changed: Record<TestedDecision, number> = { deny: 0, ask: 0, allow: 0, hook: 0 }
  const matches: Example[] = []
  const changes: Example[] = []
  return {
    /** `verdict`: null if the tools of the call are not known. */
    add: (call: CallRecord, lacksArguments: boolean, verdict: TrialVerdict | null): void => {
      counts.checked++
      if (!verdict || verdict.isUndecided) {
        counts.undecided++
        if (lacksArguments) counts.without_arguments++
        return
      }
      const { decision, previous } = verdict
      if (verdict.hasFailed) counts.failed++
      if (verdict.matches) {
        counts.matched++
        decisions[decision]++
        if (matches.length < MAX_EXAMPLES) matches.push(exampleOf(call, verdict))
      }
      if (decision === previous) return
      changed[decision]++
      if (changes.length < MAX_EXAMPLES) changes.push(exampleOf(call, verdict))
    },
    result: () => ({ ...counts, decisions, changed, examples: changes.length > 0 ? changes : matches }),
  }
}

const exampleOf = (call: CallRecord, { decision, previous }: TrialVerdict): Example => ({
  tool_call_id: call.id,
  tool: toolName(call.connectorSlug, call.tool),
  registered_user_id: call.registeredUserId,
  started_at: call.startedAt.toISOString(),
  decision,
  previous_decision: previous,
})

import type { PolicyEffect, TestedDecision } from '@carabiner/contract'
import { nextTurn } from '../../platform/isolation/next-turn.ts'
import { type CompiledRule, compileRule, policyOf } from './conditions/compile-policy.ts'
import { conclude } from './conditions/conclude.ts'
import type { CompiledPolicy, PolicyDecision, PolicyRule, Reads } from './conditions/policy.ts'
import { factsFor, type NamedFacts } from './decide-call.ts'

/** A rule that is not saved, and the policy that it would belong to. */
export type RuleToTry = {
  rule: PolicyRule
  /** The rules of the policy as they are. One with the ID of the tried rule is replaced by it. */
  saved: readonly PolicyRule[]
  defaultEffect: PolicyEffect
}

export type TrialVerdict = {
  matches: boolean
  /** The condition could not be evaluated. */
  hasFailed: boolean
  /** The condition reads a fact that is missing. */
  isUndecided: boolean
  /** What the policy decides with the rule, and as it is. */
  decision: TestedDecision
  previous: TestedDecision
}

export type RuleTrial = {
  /** What any rule of the policy reads. */
  reads: Reads
  /** What the tried rule reads. */
  ownReads: Reads
  isFor: (tool: string) => boolean
  /** Whether the rule is for any tool of the connector. */
  isOfConnector: (slug: string) => boolean
  decide: (facts: NamedFacts) => Promise<TrialVerdict>
}

/** What a record may lack. */
const LOADED = ['args', 'account', 'user', 'client'] as const

/** Other requests are served between rules and between decisions, because each can take some milliseconds. */
export const createRuleTrial = async ({ rule, saved, defaultEffect }: RuleToTry): Promise<RuleTrial> => {
  const others: CompiledRule[] = []
  for (const other of saved.filter(({ id }) => id !== rule.id)) {
    await nextTurn()
    others.push(compileRule(other))
  }
  await nextTurn()
  const tried = compileRule(rule)
  const replaced = saved.filter(({ id }) => id === rule.id).map(compileRule)
  const readsOfRule = new Map([...others, tried, ...replaced].map(each => [each.rule, each.reads]))
  const next = policyOf([...others, tried], defaultEffect)
  const before = policyOf(replaced, defaultEffect)

  /** Whether the rule failed only because the record of the call does not have a fact. Calls are not counted as of an earlier time. */
  const lacksFact = (facts: NamedFacts, { failed }: PolicyDecision, each: PolicyRule): boolean => {
    const reads = readsOfRule.get(each)
    if (!reads || !failed.includes(each)) return false
    return reads.count.length > 0 || LOADED.some(fact => reads[fact] && facts[fact] === undefined)
  }

  const matching = async (policy: CompiledPolicy, facts: NamedFacts) => {
    const matched: PolicyRule[] = []
    const failed: PolicyRule[] = []
    const lacking: PolicyRule[] = []
    for (const tool of facts.tools) {
      await nextTurn()
      const decision = policy.decide(factsFor(tool, facts))
      const lacks = (each: PolicyRule) => lacksFact(facts, decision, each)
      matched.push(...decision.matched.filter(each => !lacks(each)))
      failed.push(...decision.failed.filter(each => !lacks(each)))
      lacking.push(...decision.failed.filter(lacks))
    }
    return { matched, failed, lacking }
  }
  /** A hook decides unless another rule denies. */
  const effectOf = (matched: readonly PolicyRule[]): TestedDecision => {
    const { effect } = conclude(matched, defaultEffect)
    return effect !== 'deny' && matched.some(each => each.effect === null) ? 'hook' : effect
  }

  return {
    reads: policyOf([...others, tried, ...replaced], defaultEffect).reads,
    ownReads: tried.reads,
    isFor: tried.isFor,
    isOfConnector: slug => rule.tools.some(name => name === '*' || name.startsWith(`${slug}__`)),
    decide: async facts => {
      const { matched, failed, lacking } = await matching(next, facts)
      const old = replaced.length > 0 ? (await matching(before, facts)).matched : []
      return {
        matches: matched.includes(rule),
        hasFailed: failed.includes(rule),
        isUndecided: !matched.includes(rule) && lacking.includes(rule),
        decision: effectOf(matched),
        previous: effectOf([...matched.filter(each => each !== rule), ...old]),
      }
    },
  }
}

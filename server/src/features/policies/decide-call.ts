import { type PolicyEffect, policyEffects, type ToolEffect } from '@carabiner/contract'
import { SECOND } from '../../core/duration.ts'
import { conclude } from './conditions/conclude.ts'
import {
  type CallFacts,
  type CompiledPolicy,
  type Count,
  countKey,
  type PolicyDecision,
  type PolicyRule,
  type Reads,
} from './conditions/policy.ts'
import { parsePeriod } from './conditions/times.ts'
import type { HookAnswers } from './hooks/hook-answer.ts'

/** Of the admission of a call. Empty: the policy allows every call. */
export type PolicyHashes = { organization: string; pack: string }

export type DecidingPolicy = { of: 'organization' | 'tool_pack'; policy: CompiledPolicy }

export type PolicyVerdict = {
  effect: PolicyEffect
  /** The rule that decided; null if it was a default. */
  rule: PolicyRule | null
  /** Whose policy decided. */
  of: DecidingPolicy['of']
  matched: PolicyRule[]
  failed: PolicyRule[]
  /** Matching rules whose hooks have not been asked. Their answers can only make the verdict stricter. */
  undecided: PolicyRule[]
  /** What each policy has decided. */
  decisions: readonly OwnedDecision[]
}

type OwnedDecision = PolicyDecision & Pick<DecidingPolicy, 'of'>

/** The tools whose rules apply to a call: its own, and for a raw request also those with the same operation. */
export type NamedFacts = Omit<CallFacts, 'tool' | 'counts'> & {
  tools: readonly CallFacts['tool'][]
  /** By the name of the tool. */
  counts?: ReadonlyMap<string, NonNullable<CallFacts['counts']>>
}

/** The facts with which the rules for one of the tools decide. */
export const factsFor = (tool: CallFacts['tool'], named: NamedFacts): CallFacts => {
  const { tools: _, counts, ...facts } = named
  const counted = counts?.get(tool.name)
  return { ...facts, tool, ...(counted && { counts: counted }) }
}

/** Each policy decides on its own, and the strictest decision applies: a Tool Pack cannot allow what its organization denies. */
export const decideCall = (policies: readonly DecidingPolicy[], facts: NamedFacts): PolicyVerdict | null =>
  verdictOf(
    policies.flatMap(({ of, policy }) =>
      facts.tools.map(tool => ({ of, ...policy.decide(factsFor(tool, facts)) })),
    ),
  )

/** The verdict with the answers of all of its undecided rules, which then are rules with an effect. */
export const settleHooks = (verdict: PolicyVerdict, answers: HookAnswers): PolicyVerdict => {
  const settled = verdictOf(verdict.decisions.map(decision => settle(decision, answers)))
  if (!settled || settled.undecided.length > 0) throw new Error('a hook of the policy was not asked')
  return settled
}

/** As for other rules, one that allows does not match if its condition could not be evaluated. */
const settle = ({ matched, failed, ...decision }: OwnedDecision, answers: HookAnswers): OwnedDecision => {
  const settled = matched.flatMap(rule => {
    const answer = rule.effect === null ? answers.get(rule.id) : undefined
    if (!answer) return [rule]
    if (answer.effect === 'allow' && failed.includes(rule)) return []
    return [{ ...rule, effect: answer.effect, ...(answer.reason !== null && { reason: answer.reason }) }]
  })
  const { rule: _, ...rest } = decision
  return { ...rest, ...conclude(settled, decision.defaultEffect), matched: settled, failed }
}

const verdictOf = (decisions: readonly OwnedDecision[]): PolicyVerdict | null => {
  const strictest = policyEffects
    .map(effect => decisions.find(decision => decision.effect === effect))
    .find(decision => decision !== undefined)
  if (!strictest) return null
  const { effect, rule = null, of } = strictest
  const matched = distinct(decisions.flatMap(decision => decision.matched))
  const failed = distinct(decisions.flatMap(decision => decision.failed))
  return {
    effect,
    rule,
    of,
    matched,
    failed,
    undecided: matched.filter(match => match.effect === null),
    decisions,
  }
}

/** Whether every call of the tools would be denied, whatever its arguments. */
export const isAlwaysDenied = (policies: readonly DecidingPolicy[], facts: NamedFacts): boolean =>
  policies.some(({ policy }) =>
    facts.tools.some(tool => policy.decideForList(factsFor(tool, facts)) === 'hidden'),
  )

/** What the rules for these tools read. */
export const readsOfPolicies = (
  policies: readonly DecidingPolicy[],
  tools: readonly { name: string }[],
): Pick<Reads, 'account' | 'user' | 'client' | 'args'> => {
  const all = policies.flatMap(({ policy }) => tools.map(({ name }) => policy.readsFor(name)))
  return {
    account: all.some(({ account }) => account),
    user: all.some(({ user }) => user),
    client: all.some(({ client }) => client),
    args: all.some(({ args }) => args),
  }
}

/** A count that a rule for `tool` reads. `key`: as in the facts of a call. `effect`: of all tools that have it. */
export type CountToRead = { tool: string; key: string; seconds: number; effect: ToolEffect | null }

/**
 * What the rules for these tools count. Null: no rule counts calls of these tools. Empty: only rules for other tools do, by an effect that these
 * have too.
 */
export const countsToRead = (
  policies: readonly DecidingPolicy[],
  tools: readonly CallFacts['tool'][],
): CountToRead[] | null => {
  const counting = policies.filter(({ policy }) => policy.reads.count.length > 0)
  if (counting.length === 0) return null
  const counts = counting.flatMap(({ policy }) =>
    tools.flatMap(({ name }) => policy.readsFor(name).count.flatMap(count => toRead(name, count))),
  )
  const effects = tools.flatMap(tool => tool.effects)
  const isCounted = counting.some(({ policy }) =>
    policy.reads.count.some(({ effect }) => effect && effects.includes(effect)),
  )
  if (counts.length === 0 && !isCounted) return null
  return [...new Map(counts.map(each => [`${each.tool} ${each.key}`, each])).values()]
}

const toRead = (tool: string, count: Count): CountToRead[] => {
  const ms = parsePeriod(count.period)
  return ms === null
    ? []
    : [{ tool, key: countKey(count), seconds: ms / SECOND, effect: count.effect ?? null }]
}

const distinct = (rules: readonly PolicyRule[]): PolicyRule[] => [
  ...new Map(rules.map(rule => [rule.id, rule])).values(),
]

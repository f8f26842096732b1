import type { PolicyEffect } from '@carabiner/contract'
import { type Condition, compileParsed, countOf, type Facts } from './compile-condition.ts'
import { conclude } from './conclude.ts'
import { type Node, parseCondition, visitNodes } from './parse-condition.ts'
import {
  type CallFacts,
  type CompiledPolicy,
  countKey,
  type PolicyDecision,
  type PolicyRule,
  type Reads,
} from './policy.ts'
import { Failure, type KeyCache, type Meter, type Result, Timestamp, type Value } from './values.ts'

/** Bounds of the evaluation, so that no condition blocks the service for more than a few milliseconds. */
const MAX_STEPS_PER_RULE = 15_000
const MAX_STEPS_PER_DECISION = 30_000
/** A list can have a thousand tools. Of a tool whose rules take more steps, nothing is certain, so it is listed. */
const MAX_STEPS_PER_LISTED_TOOL = 2000

export type CompiledRule = {
  rule: PolicyRule
  /** Null if the condition is invalid. */
  condition: Condition | null
  reads: Reads
  isFor: (tool: string) => boolean
}

const NO_READS: Reads = { account: false, user: false, client: false, args: false, count: [] }

/**
 * Compiles the rules of one policy. Never throws: a rule that cannot be compiled matches every call of its tools if it denies
 * or asks, and none if it allows.
 */
export const compilePolicy = (rules: readonly PolicyRule[], defaultEffect: PolicyEffect): CompiledPolicy =>
  policyOf(rules.map(compileRule), defaultEffect)

export const policyOf = (rules: readonly CompiledRule[], defaultEffect: PolicyEffect): CompiledPolicy => ({
  reads: mergeReads(rules),
  readsFor: tool => mergeReads(rules.filter(({ isFor }) => isFor(tool))),
  decide: facts => decide(rules, defaultEffect, facts),
  decideForList: facts => (isAlwaysDenied(rules, defaultEffect, facts) ? 'hidden' : 'visible'),
})

export const compileRule = (rule: PolicyRule): CompiledRule => {
  const isFor = toolMatcher(rule.tools)
  try {
    const node = parseCondition(rule.when)
    return { rule, isFor, condition: compileParsed(node), reads: readsOf(node) }
  } catch {
    return { rule, isFor, condition: null, reads: NO_READS }
  }
}

const toolMatcher = (tools: readonly string[]): CompiledRule['isFor'] => {
  const names = new Set(tools)
  const prefixes = tools.filter(name => name.endsWith('*')).map(name => name.slice(0, -1))
  return tool => names.has(tool) || prefixes.some(prefix => tool.startsWith(prefix))
}

/** The facts that a parsed condition reads. */
export const readsOf = (condition: Node): Reads => {
  const reads: Reads = { ...NO_READS, count: [] }
  visitNodes(condition, node => {
    // The variable of a macro can have the name of a fact, which is then loaded in vain.
    if (node.kind === 'variable' && isRead(node.name)) reads[node.name] = true
    const count = node.kind === 'call' && node.name === 'count' ? countOf(node) : null
    if (count) reads.count.push(count)
  })
  return reads
}

const isRead = (name: string): name is Exclude<keyof Reads, 'count'> =>
  name !== 'count' && Object.hasOwn(NO_READS, name)

const mergeReads = (rules: readonly { reads: Reads }[]): Reads => {
  const all = rules.map(({ reads }) => reads)
  const counts = all.flatMap(({ count }) => count)
  return {
    account: all.some(({ account }) => account),
    user: all.some(({ user }) => user),
    client: all.some(({ client }) => client),
    args: all.some(({ args }) => args),
    count: [...new Map(counts.map(count => [countKey(count), count])).values()],
  }
}

const decide = (
  rules: readonly CompiledRule[],
  defaultEffect: PolicyEffect,
  facts: CallFacts,
): PolicyDecision => {
  const matched: PolicyRule[] = []
  const failed: PolicyRule[] = []
  for (const { rule, result } of evaluate(rules, factsOf(facts), facts.tool.name, MAX_STEPS_PER_DECISION)) {
    if (typeof result !== 'boolean') failed.push(rule)
    if (result === true || (result !== false && rule.effect !== 'allow')) matched.push(rule)
  }
  return { ...conclude(matched, defaultEffect), defaultEffect, matched, failed }
}

/**
 * A call is denied if a `deny` rule matches, or by default if no rule matches. Arguments, counts and the time differ from call
 * to call, so a rule that depends on them may or may not match. A hook may decide anything.
 */
const isAlwaysDenied = (
  rules: readonly CompiledRule[],
  defaultEffect: PolicyEffect,
  facts: CallFacts,
): boolean => {
  const known = { ...factsOf(facts), args: undefined, now: undefined, counts: undefined }
  let mayMatch = false
  for (const { rule, result } of evaluate(rules, known, facts.tool.name, MAX_STEPS_PER_LISTED_TOOL)) {
    const isCertain = !(result instanceof Failure) || !result.isUnknown
    const matches = result === true || (result !== false && rule.effect !== 'allow')
    if (rule.effect === 'deny' && isCertain && matches) return true
    if (rule.effect !== 'deny' && (matches || !isCertain)) mayMatch = true
  }
  return defaultEffect === 'deny' && !mayMatch
}

const NOT_COMPILED = new Failure('The condition is invalid.')

const evaluate = (
  rules: readonly CompiledRule[],
  facts: Facts,
  tool: string,
  maxSteps: number,
): { rule: PolicyRule; result: Result }[] => {
  let left = maxSteps
  const keys: KeyCache = new Map()
  return rules
    .filter(({ isFor }) => isFor(tool))
    .map(({ rule, condition }) => {
      if (!condition) return { rule, result: NOT_COMPILED }
      const available = Math.min(left, MAX_STEPS_PER_RULE)
      const meter: Meter = { left: available, keys }
      const result = evaluateSafely(condition, facts, meter)
      left -= available - Math.max(meter.left, 0)
      return { rule, result }
    })
}

/** Nothing that a condition or an argument contains may stop the decision: the rule fails. */
const evaluateSafely = (condition: Condition, facts: Facts, meter: Meter): Result => {
  try {
    return condition(facts, meter)
  } catch {
    return new Failure('The condition could not be evaluated.', true)
  }
}

const factsOf = ({ tool, pack, mode, account, user, client, args, now, counts }: CallFacts): Facts => ({
  tool,
  pack,
  mode,
  account,
  user: user as Value | undefined,
  client,
  args: args as Value | undefined,
  now: now === undefined ? undefined : new Timestamp(now),
  counts,
})

import { hash } from 'node:crypto'
import type { EffectiveRules, RuleDirection } from '@carabiner/contract'
import { SECOND } from '../../core/duration.ts'
import type { IsolatedPool } from '../../platform/isolation/isolated-pool.ts'
import { nextTurn } from '../../platform/isolation/next-turn.ts'
import { type CompiledRuleSet, compileRuleSet } from './compile-rule-set.ts'
import { type Decision, decide } from './decide-action.ts'
import { cachePatternFault } from './pattern-check-cache.ts'

/** Values are sent to the worker as JSON, because strings are copied faster than objects. */
type Input = { key: string; settings: EffectiveRules; direction: RuleDirection; json: string }
/** Without `json`, the value is unchanged. */
type Output = { action: 'pass' | 'block'; json?: string; matches: Decision['matches'] }

/** Higher than SCAN_CPU_MS, so that the error of the scan is the one reported. */
const DECIDE_CPU_MS = 5 * SECOND
/** Scanning this many characters takes up to 15 ms without custom rules. */
const INLINE_CHARACTERS = 75_000
/** Every value costs as much as this many characters. */
const CHARACTERS_PER_VALUE = 16
/** This many custom rules cost as much as all built-in rules together. */
const CUSTOM_RULES_PER_PASS = 4
const MAX_CACHED = 20

/** Whether scanning the value takes so long that it must not run on the thread that serves requests. */
export const isLarge = ({ settings }: CompiledRuleSet, value: unknown): boolean => {
  const limit = INLINE_CHARACTERS / (1 + settings.custom_rules.length / CUSTOM_RULES_PER_PASS)
  return costExceeds(value, limit)
}

/** Counts characters, and a few for every value. */
export const costExceeds = (value: unknown, limit: number): boolean => {
  let remaining = limit
  const open: unknown[] = [value]
  while (open.length > 0 && remaining >= 0) {
    const next = open.pop()
    remaining -= CHARACTERS_PER_VALUE
    if (typeof next === 'string') remaining -= next.length
    else if (Array.isArray(next)) {
      if (next.length * CHARACTERS_PER_VALUE > remaining) return true
      for (const item of next) open.push(item)
    } else if (next !== null && typeof next === 'object')
      for (const name of Object.keys(next)) {
        remaining -= name.length
        if (remaining < 0) return true
        open.push((next as Record<string, unknown>)[name])
      }
  }
  return remaining < 0
}

const keys = new WeakMap<CompiledRuleSet, string>()
const keyOf = (rules: CompiledRuleSet): string => {
  const key = keys.get(rules) ?? hash('sha256', JSON.stringify(rules.settings), 'base64url')
  keys.set(rules, key)
  return key
}

/** Runs `decide` in a worker. If it throws, the value must not be passed on. */
export const decideIsolated = async (
  isolated: IsolatedPool,
  owner: string,
  rules: CompiledRuleSet,
  direction: RuleDirection,
  value: unknown,
): Promise<Decision> => {
  if (rules[direction] === null) return { action: 'pass', value, matches: [] }
  await nextTurn()
  const json = JSON.stringify(value)
  const input: Input = { key: keyOf(rules), settings: rules.settings, direction, json }
  const output = (await isolated.run(owner, 'decide', input, { cpuMs: DECIDE_CPU_MS })) as Output
  const { matches } = output
  if (output.action === 'block') return { action: 'block', matches }
  if (output.json === undefined) return { action: 'pass', value, matches }
  await nextTurn()
  const passed = keepSame(value, JSON.parse(output.json))
  await nextTurn()
  return { action: 'pass', value: passed, matches }
}

/** Keeps the identity of parts without a match, as `decide` does without a worker. */
const keepSame = (before: unknown, after: unknown): unknown => {
  if (before === null || after === null || typeof before !== 'object' || typeof after !== 'object')
    return after
  const old = Object.entries(before)
  const parts = Object.entries(after).map(([name, part], at) => [name, keepSame(old[at]?.[1], part)] as const)
  const isSame =
    old.length === parts.length &&
    old.every(([name, part], at) => parts[at]?.[0] === name && parts[at][1] === part)
  if (isSame) return before
  return Array.isArray(after) ? parts.map(([, part]) => part) : Object.fromEntries(parts)
}

const cache = new Map<string, CompiledRuleSet>()

export const decideTask = ({ key, settings, direction, json }: Input): Output => {
  const rules = cache.get(key) ?? compileAccepted(settings)
  if (cache.size >= MAX_CACHED) cache.clear()
  cache.set(key, rules)
  const value: unknown = JSON.parse(json)
  const decision = decide(rules, direction, value)
  const { action, matches } = decision
  if (action === 'block' || decision.value === value) return { action, matches }
  return { action, matches, json: JSON.stringify(decision.value) }
}

/** Runs in a worker. The patterns are not checked again, because the main thread has compiled the same settings. */
export const compileAccepted = (settings: EffectiveRules): CompiledRuleSet => {
  for (const { pattern, ignore_case: ignoreCase } of settings.custom_rules)
    cachePatternFault({ pattern, ignoreCase }, null)
  return compileRuleSet(settings)
}

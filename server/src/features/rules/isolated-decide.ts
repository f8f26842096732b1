import { hash } from 'node:crypto'
import type { EffectiveRules, RuleDirection } from '@carabiner/contract'
import { SECOND } from '../../core/duration.ts'
import type { IsolatedPool } from '../../platform/isolated-pool.ts'
import { type CompiledRuleSet, compileRuleSet } from './compile-rule-set.ts'
import { acceptPattern } from './custom-pattern.ts'
import { type Decision, decide } from './decide.ts'

type Input = { key: string; settings: EffectiveRules; direction: RuleDirection; value: unknown }
/** `same`: the value passes as it is, and is not copied back. */
type Output = Decision | { action: 'same'; matches: Decision['matches'] }

/** More than the engine's own limit, so that its error is the one reported. */
const DECIDE_CPU_MS = 2 * SECOND
/** A text of this many characters takes up to 15 ms where there are no custom rules. */
const INLINE_CHARACTERS = 75_000
/** Every value costs as much as this many characters. */
const CHARACTERS_PER_VALUE = 16
/** This many custom rules cost as much as everything else together. */
const CUSTOM_RULES_PER_PASS = 4
const MAX_KEPT = 20

/** Whether scanning the value takes so long that it must not run on the thread that serves requests. */
export const isLarge = ({ settings }: CompiledRuleSet, value: unknown): boolean => {
  const limit = INLINE_CHARACTERS / (1 + settings.custom_rules.length / CUSTOM_RULES_PER_PASS)
  return exceeds(value, limit)
}

const exceeds = (value: unknown, limit: number): boolean => {
  let left = limit
  const open: unknown[] = [value]
  while (open.length > 0 && left >= 0) {
    const next = open.pop()
    left -= CHARACTERS_PER_VALUE
    if (typeof next === 'string') left -= next.length
    else if (next !== null && typeof next === 'object')
      for (const [name, part] of Object.entries(next)) {
        left -= name.length
        if (left < 0) return true
        open.push(part)
      }
  }
  return left < 0
}

const keys = new WeakMap<CompiledRuleSet, string>()
const keyOf = (rules: CompiledRuleSet): string => {
  const key = keys.get(rules) ?? hash('sha256', JSON.stringify(rules.settings), 'base64url')
  keys.set(rules, key)
  return key
}

/** Decides in a worker. Throws where it cannot be decided: then nothing may pass. */
export const decideIsolated = async (
  isolated: IsolatedPool,
  owner: string,
  rules: CompiledRuleSet,
  direction: RuleDirection,
  value: unknown,
): Promise<Decision> => {
  if (rules[direction] === null) return { action: 'pass', value, matches: [] }
  const input: Input = { key: keyOf(rules), settings: rules.settings, direction, value }
  const output = (await isolated.run(owner, 'decide', input, { cpuMs: DECIDE_CPU_MS })) as Output
  switch (output.action) {
    case 'same':
      return { action: 'pass', value, matches: output.matches }
    case 'pass':
      return { ...output, value: keepSame(value, output.value) }
    case 'block':
      return output
  }
}

/** A part without a match comes back as the same object, as it does without a worker. */
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

const kept = new Map<string, CompiledRuleSet>()

/** In the worker. The patterns were judged before they were saved. */
export const decideTask = ({ key, settings, direction, value }: Input): Output => {
  const rules = kept.get(key) ?? compileAccepted(settings)
  if (kept.size >= MAX_KEPT) kept.clear()
  kept.set(key, rules)
  const decision = decide(rules, direction, value)
  return decision.action === 'pass' && decision.value === value
    ? { action: 'same', matches: decision.matches }
    : decision
}

const compileAccepted = (settings: EffectiveRules): CompiledRuleSet => {
  for (const { label, pattern, ignore_case: ignoreCase } of settings.custom_rules)
    acceptPattern({ label, pattern, ignoreCase })
  return compileRuleSet(settings)
}

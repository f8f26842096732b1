import type { RuleAction, RuleDirection } from '@carabiner/contract'
import { SECOND } from '../../core/duration.ts'
import type { CompiledRuleSet, Side } from './compile-rule-set.ts'
import type { Rules } from './compile-rules.ts'
import type { ValueMatch } from './match.ts'
import { redactValue } from './redact-value.ts'
import { scanValue } from './scan-value.ts'

/** How often something was found, and what followed: never the value, nor what stood around it. */
export type Violation = {
  entity: string
  /** The pattern that found it. */
  rule: string
  direction: RuleDirection
  action: Exclude<RuleAction, 'none'>
  count: number
  /** The surest of them. */
  score: number
}
export type Decision = { matches: Violation[] } & ({ action: 'pass'; value: unknown } | { action: 'block' })

export type ActedMatch = ValueMatch & { action: Violation['action'] }

/** CPU time for one value. The costliest megabyte takes half of it, in a worker; what is scanned in place takes a hundredth. */
export const SCAN_BUDGET = 2 * SECOND

/** Milliseconds that this thread has computed: a machine that is busy with others must not make calls fail. */
const spentHere = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

export class ScanTooSlow extends Error {
  constructor() {
    super(`Scanning took longer than ${SCAN_BUDGET} ms and was given up.`)
  }
}

/**
 * What the rules say of a value on its way to a third party (`inbound`) or to the agent (`outbound`). Throws where it cannot be
 * said: then nothing may pass.
 */
export const decide = (
  rules: CompiledRuleSet,
  direction: RuleDirection,
  value: unknown,
  spent: () => number = spentHere,
): Decision => {
  const found = findMatches(rules[direction], value, spent)
  const matches = countUp(found, direction)
  if (found.length === 0 || rules.dryRun) return { action: 'pass', value, matches }
  if (found.some(({ action }) => action === 'block')) return { action: 'block', matches }
  return { action: 'pass', value: redactMatches(value, found), matches }
}

export const findMatches = (
  side: Side | null,
  value: unknown,
  spent: () => number = spentHere,
): ActedMatch[] =>
  side === null
    ? []
    : scanValue(value, endingAt(side.rules, spent)).map(({ entity, rule, score, context, places }) => ({
        entity,
        rule,
        score,
        context,
        places,
        action: side.actions.get(entity) as Violation['action'],
      }))

export const redactMatches = (value: unknown, found: readonly ActedMatch[]): unknown => {
  const toRedact = found.filter(({ action }) => action === 'redact')
  return toRedact.length === 0 ? value : redactValue(value, toRedact)
}

/** To look costs half a microsecond, which is as long as a short text takes. */
const LOOK_EVERY = 8

/** The engine asks for the custom rules with every text, be there any or none: that is where it can be given up. */
const endingAt = (rules: Rules, spent: () => number): Rules => {
  const end = spent() + SCAN_BUDGET
  let asked = 0
  return {
    ...rules,
    get custom() {
      if (++asked % LOOK_EVERY === 0 && spent() > end) throw new ScanTooSlow()
      return rules.custom
    },
  }
}

const countUp = (found: readonly ActedMatch[], direction: RuleDirection): Violation[] => {
  const counted: Violation[] = []
  for (const { entity, rule, action, score } of found) {
    const same = counted.find(known => known.rule === rule && known.entity === entity)
    if (!same) counted.push({ entity, rule, direction, action, count: 1, score })
    else {
      same.count++
      same.score = Math.max(same.score, score)
    }
  }
  return counted
}

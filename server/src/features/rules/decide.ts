import type { RuleAction, RuleDirection } from '@carabiner/contract'
import { redactValue, scanValue, type ValueMatch } from '@carabiner/detection'
import { SECOND } from '../../core/duration.ts'
import type { CompiledRuleSet, Side } from './compile-rule-set.ts'

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
    : scanValue(value, side.rules, { checkTime: createTimeCheck(spent) }).map(match => ({
        ...match,
        action: side.actions.get(match.entity) as Violation['action'],
      }))

export const redactMatches = (value: unknown, found: readonly ActedMatch[]): unknown => {
  const toRedact = found.filter(({ action }) => action === 'redact')
  return toRedact.length === 0 ? value : redactValue(value, toRedact)
}

/** Reading the clock takes half a microsecond, as long as scanning a short text, so only every eighth check reads it. */
const CHECKS_PER_CLOCK_READ = 8

/** Returns a function that throws once the scan has used its CPU time. */
const createTimeCheck = (spent: () => number): (() => void) => {
  const deadline = spent() + SCAN_BUDGET
  let checks = 0
  return () => {
    if (++checks % CHECKS_PER_CLOCK_READ === 0 && spent() > deadline) throw new ScanTooSlow()
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

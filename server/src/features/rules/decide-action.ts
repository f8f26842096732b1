import type { RuleAction, RuleDirection } from '@carabiner/contract'
import { redactValue, scanValue, type ValueMatch } from '@carabiner/detection'
import { SECOND } from '../../core/duration.ts'
import type { CompiledRuleSet, Side } from './compile-rule-set.ts'

/** Number of matches of one pattern and the action taken. It never contains the matched value or its context. */
export type Violation = {
  entity: string
  /** The pattern that matched. */
  rule: string
  direction: RuleDirection
  action: Exclude<RuleAction, 'none'>
  count: number
  /** Highest score of the matches. */
  score: number
}
export type Decision = { matches: Violation[] } & ({ action: 'pass'; value: unknown } | { action: 'block' })

export type ActedMatch = ValueMatch & { action: Violation['action'] }

/** CPU time limit for one value. The most expensive megabyte takes half of it, in a worker; inline scans take a hundredth. */
export const SCAN_CPU_MS = 2 * SECOND

/** CPU time of this thread. Wall-clock time would make calls fail on a busy machine. */
const threadCpuMs = (): number => {
  const { user, system } = process.threadCpuUsage()
  return (user + system) / 1000
}

export class ScanTimeoutError extends Error {
  constructor() {
    super(`The scan exceeded its limit of ${SCAN_CPU_MS} ms of CPU time.`)
  }
}

/**
 * Applies the rules to a value sent to the provider (`inbound`) or to the agent (`outbound`). If it throws, the value must not
 * be passed on.
 */
export const decide = (
  rules: CompiledRuleSet,
  direction: RuleDirection,
  value: unknown,
  cpuMs: () => number = threadCpuMs,
): Decision => {
  const found = findMatches(rules[direction], value, cpuMs)
  const matches = countMatches(found, direction)
  if (found.length === 0 || rules.dryRun) return { action: 'pass', value, matches }
  if (found.some(({ action }) => action === 'block')) return { action: 'block', matches }
  return { action: 'pass', value: redactMatches(value, found), matches }
}

export const findMatches = (
  side: Side | null,
  value: unknown,
  cpuMs: () => number = threadCpuMs,
): ActedMatch[] =>
  side === null
    ? []
    : scanValue(value, side.rules, { checkTime: createTimeCheck(cpuMs) }).map(match => ({
        ...match,
        action: side.actions.get(match.entity) as Violation['action'],
      }))

export const redactMatches = (value: unknown, found: readonly ActedMatch[]): unknown => {
  const toRedact = found.filter(({ action }) => action === 'redact')
  return toRedact.length === 0 ? value : redactValue(value, toRedact)
}

/** Reading the clock takes half a microsecond, as long as scanning a short text, so only every eighth check reads it. */
const CHECKS_PER_CLOCK_READ = 8

/** Returns a function that throws once the scan has used its CPU time. A scan of a few short texts never reads the clock. */
const createTimeCheck = (cpuMs: () => number): (() => void) => {
  let deadline: number | undefined
  let checks = 0
  return () => {
    if (++checks % CHECKS_PER_CLOCK_READ !== 0) return
    const now = cpuMs()
    deadline ??= now + SCAN_CPU_MS
    if (now > deadline) throw new ScanTimeoutError()
  }
}

const countMatches = (found: readonly ActedMatch[], direction: RuleDirection): Violation[] => {
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

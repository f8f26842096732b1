import { type PolicyEffect, policyEffects } from '@carabiner/contract'
import { addHistogram } from '../../../platform/metrics/histogram.ts'
import { addCounter, type Metrics } from '../../../platform/metrics/metrics.ts'

export type HookOutcome = PolicyEffect | 'failed'
export type HookMetrics = { asked(outcome: HookOutcome, durationMs: number): void }

const OUTCOMES: readonly HookOutcome[] = [...policyEffects, 'failed']

export const createHookMetrics = (metrics: Metrics): HookMetrics => {
  const requests = addCounter(metrics, {
    name: 'carabiner_policy_hooks_total',
    help: 'Hooks of policy rules that calls have asked, by outcome. `failed`: no decision within the time limit.',
  })
  const cells = new Map(OUTCOMES.map(outcome => [outcome, requests.cell({ outcome })]))
  const durations = addHistogram(metrics, {
    name: 'carabiner_policy_hook_duration_seconds',
    help: 'Duration of requests to hooks of policy rules.',
  }).cell()
  return {
    asked: (outcome, durationMs) => {
      const cell = cells.get(outcome)
      if (cell) cell.value++
      durations.observe(durationMs)
    },
  }
}

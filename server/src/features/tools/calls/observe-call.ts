import type { Admitted } from '../admission/admit-call.ts'
import type { CallMetrics, CallOutcome } from './call-metrics.ts'
import { CALL_STEPS, type CallStep } from './call-steps.ts'

/** Measures the steps of one call. */
export type CallObservation = {
  /** Ends the current step and begins this one. The first step is the admission. */
  enter(step: CallStep): void
  admitted(admitted: Admitted): void
  settles(outcome: CallOutcome): void
  /** Milliseconds that the security rules have taken so far. */
  rulesMs(): number
  end(): void
}

const POSITION = Object.fromEntries(CALL_STEPS.map((step, n) => [step, n])) as Record<CallStep, number>

export const observeCall = (
  metrics: CallMetrics,
  now: () => number = () => performance.now(),
): CallObservation => {
  const durations = CALL_STEPS.map(() => 0)
  let current = POSITION.admission
  let since = now()
  let connectorSlug: string | null = null
  let outcome: CallOutcome = 'refused'
  const endStep = (): void => {
    const at = now()
    durations[current] = (durations[current] as number) + at - since
    since = at
  }
  metrics.started()
  return {
    enter: step => {
      endStep()
      current = POSITION[step]
    },
    admitted: ({ reserved }) => {
      connectorSlug = reserved.connectorSlug
      outcome = 'error'
    },
    settles: known => {
      outcome = known
    },
    rulesMs: () =>
      (durations[POSITION.argument_rules] as number) + (durations[POSITION.result_rules] as number),
    end: () => {
      endStep()
      metrics.ended(connectorSlug, outcome, durations)
    },
  }
}

import type { TraceSpan } from '../../../platform/tracing/tracing.ts'
import type { Admitted } from '../admission/admit-call.ts'
import type { CallMetrics, CallOutcome } from './call-metrics.ts'
import { CALL_STEPS, type CallStep } from './call-steps.ts'
import { describeAdmitted, startStepSpan } from './call-trace.ts'

/** Measures and traces the steps of one call. */
export type CallObservation = {
  /** Ends the current step and begins this one, unless it is the current one. The first step is the admission. */
  enter(step: CallStep): void
  admitted(admitted: Admitted): void
  /** The current step has failed. */
  failed(errorCode: string): void
  settles(outcome: CallOutcome): void
  /** The trace context to send to the provider; null if it gets none. */
  traceparent(): string | null
  /** Milliseconds that the security rules have taken so far. */
  rulesMs(): number
  end(): void
}

const POSITION = Object.fromEntries(CALL_STEPS.map((step, n) => [step, n])) as Record<CallStep, number>

export const observeCall = (
  metrics: CallMetrics,
  span: TraceSpan | null,
  now: () => number = () => performance.now(),
): CallObservation => {
  const durations = CALL_STEPS.map(() => 0)
  let current = POSITION.admission
  let since = now()
  let connectorSlug: string | null = null
  let outcome: CallOutcome = 'refused'
  let stepSpan = span && startStepSpan(span, 'admission')
  const endStep = (): void => {
    const at = now()
    durations[current] = (durations[current] as number) + at - since
    since = at
    stepSpan?.end()
  }
  metrics.started()
  return {
    enter: step => {
      if (POSITION[step] === current) return
      endStep()
      current = POSITION[step]
      if (span) stepSpan = startStepSpan(span, step)
    },
    admitted: admitted => {
      connectorSlug = admitted.reserved.connectorSlug
      outcome = 'error'
      if (span) describeAdmitted(span, admitted)
    },
    failed: errorCode => stepSpan?.fail(errorCode),
    settles: known => {
      outcome = known
    },
    traceparent: () => (stepSpan ?? span)?.traceparent() ?? null,
    rulesMs: () =>
      (durations[POSITION.argument_rules] as number) + (durations[POSITION.result_rules] as number),
    end: () => {
      if (outcome === 'refused') stepSpan?.fail(outcome)
      endStep()
      span?.set({ 'carabiner.outcome': outcome })
      metrics.ended(connectorSlug, outcome, durations)
    },
  }
}

import type { TraceSpan } from '../../../platform/tracing/tracing.ts'
import type { Admitted } from '../admission/admit-call.ts'
import type { CallMetrics, CallOutcome } from './call-metrics.ts'
import { CALL_PHASES, type CallPhase } from './call-phases.ts'
import { describeAdmitted, startPhaseSpan } from './call-trace.ts'

/** Measures and traces the phases of one call. */
export type CallObservation = {
  /** Ends the current phase and begins this one, unless it is the current one. The first phase is the admission. */
  enter(phase: CallPhase): void
  admitted(admitted: Admitted): void
  /** The current phase has failed. */
  failed(errorCode: string): void
  settles(outcome: CallOutcome): void
  /** The trace context to send to the provider; null if it gets none. */
  traceparent(): string | null
  /** Milliseconds that the security rules have taken so far. */
  rulesMs(): number
  end(): void
}

const POSITION = Object.fromEntries(CALL_PHASES.map((phase, n) => [phase, n])) as Record<CallPhase, number>

export const observeCall = (
  metrics: CallMetrics,
  span: TraceSpan | null,
  now: () => number = () => performance.now(),
): CallObservation => {
  const durations = CALL_PHASES.map(() => 0)
  let current = POSITION.admission
  let since = now()
  let connectorSlug: string | null = null
  let outcome: CallOutcome = 'refused'
  let phaseSpan = span && startPhaseSpan(span, 'admission')
  const endPhase = (): void => {
    const at = now()
    durations[current] = (durations[current] as number) + at - since
    since = at
    phaseSpan?.end()
  }
  metrics.started()
  return {
    enter: phase => {
      if (POSITION[phase] === current) return
      endPhase()
      current = POSITION[phase]
      if (span) phaseSpan = startPhaseSpan(span, phase)
    },
    admitted: admitted => {
      connectorSlug = admitted.reserved.connectorSlug
      outcome = 'error'
      if (span) describeAdmitted(span, admitted)
    },
    failed: errorCode => phaseSpan?.fail(errorCode),
    settles: known => {
      outcome = known
    },
    traceparent: () => (phaseSpan ?? span)?.traceparent() ?? null,
    rulesMs: () =>
      (durations[POSITION.argument_rules] as number) + (durations[POSITION.result_rules] as number),
    end: () => {
      if (outcome === 'refused') phaseSpan?.fail(outcome)
      endPhase()
      span?.set({ 'carabiner.outcome': outcome })
      metrics.ended(connectorSlug, outcome, durations)
    },
  }
}

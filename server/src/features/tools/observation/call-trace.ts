import type { SpanKind, TraceSpan } from '../../../platform/tracing/tracing.ts'
import type { Admitted } from '../admission/admit-call.ts'
import type { CallPhase } from './call-phases.ts'

const PHASE_SPANS: Record<CallPhase, [name: string, kind: SpanKind]> = {
  admission: ['admission', 'internal'],
  argument_rules: ['argument rules', 'internal'],
  credential: ['credential', 'internal'],
  provider: ['provider call', 'client'],
  result_rules: ['result rules', 'internal'],
  settlement: ['settlement', 'internal'],
}

/** Null if the call is not sampled. */
export const startPhaseSpan = (span: TraceSpan, phase: CallPhase): TraceSpan | null =>
  span.child(...PHASE_SPANS[phase])

/** The name of a tool is known to exist only after the admission; before, a caller may send any text. */
export const describeAdmitted = (span: TraceSpan, { callable, reserved }: Admitted): void => {
  span.rename(`tools/call ${callable.name}`)
  span.set({
    'gen_ai.tool.name': callable.name,
    'carabiner.connector': reserved.connectorSlug,
    'carabiner.tool_call.id': reserved.callId,
    'carabiner.request.id': reserved.requestId,
  })
}

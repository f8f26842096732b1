import { addHistogram, type HistogramCell } from '../../../platform/metrics/histogram.ts'
import { addCounter, addGauge, type CounterCell, type Metrics } from '../../../platform/metrics/metrics.ts'
import type { Settlement } from '../admission/settlement-store.ts'
import { CALL_PHASES } from './call-phases.ts'

/** `refused`: not admitted, such as an invalid key or an unknown tool. */
export type CallOutcome = Settlement['outcome'] | 'refused'

/** Milliseconds per phase, in the order of `CALL_PHASES`; 0 for a phase that was not reached. */
export type PhaseDurations = readonly number[]

export type CallMetrics = {
  started(): void
  /** `connectorSlug`: null if the call was not admitted. */
  ended(connectorSlug: string | null, outcome: CallOutcome, phases: PhaseDurations): void
}

const OUTCOMES: Record<CallOutcome, true> = {
  success: true,
  error: true,
  blocked: true,
  limited: true,
  needs_auth: true,
  approval_required: true,
  replayed: true,
  refused: true,
}

type OutcomeCells = Record<CallOutcome, CounterCell>

/**
 * Connectors of the catalog have a label of their own. All others share one, because every organization may create any
 * number of them.
 */
export const createCallMetrics = (metrics: Metrics, catalogSlugs: readonly string[]): CallMetrics => {
  const calls = addCounter(metrics, {
    name: 'carabiner_tool_calls_total',
    help: 'Tool calls by connector and outcome. Connectors of organizations are `custom`; calls that were not admitted have the connector `none`.',
  })
  const cellsOf = (connector: string): OutcomeCells =>
    Object.fromEntries(
      Object.keys(OUTCOMES).map(outcome => [outcome, calls.cell({ connector, outcome })]),
    ) as OutcomeCells
  const known = new Map(catalogSlugs.map(slug => [slug, cellsOf(slug)]))
  const custom = cellsOf('custom')
  const none = cellsOf('none')

  const total = addHistogram(metrics, {
    name: 'carabiner_tool_call_duration_seconds',
    help: 'Duration of tool calls, from their admission to their settlement.',
  }).cell()
  const phaseDurations = addHistogram(metrics, {
    name: 'carabiner_tool_call_step_duration_seconds',
    help: 'Duration of each step of a tool call.',
  })
  const phases: HistogramCell[] = CALL_PHASES.map(step => phaseDurations.cell({ step }))

  let inFlight = 0
  addGauge(metrics, {
    name: 'carabiner_tool_calls_in_flight',
    help: 'Tool calls in flight.',
    read: () => [{ labels: {}, value: inFlight }],
  })

  return {
    started: () => void inFlight++,
    ended: (connectorSlug, outcome, durations) => {
      inFlight--
      const cells = connectorSlug === null ? none : (known.get(connectorSlug) ?? custom)
      cells[outcome].value++
      let sum = 0
      for (const [n, milliseconds] of durations.entries()) {
        if (milliseconds > 0) phases[n]?.observe(milliseconds)
        sum += milliseconds
      }
      total.observe(sum)
    },
  }
}

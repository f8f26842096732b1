import { addHistogram } from '../../platform/metrics/histogram.ts'
import { addCounter, addGauge, type Metrics } from '../../platform/metrics/metrics.ts'
import type { EndpointFormat, EndpointStatus, QueueSample } from './endpoint-store.ts'
import type { SendOutcome } from './send-webhook.ts'

export type WebhookMetrics = {
  /** An attempt has ended. */
  attempted(format: EndpointFormat, outcome: SendOutcome, durationMs: number): void
  /** The first attempt of an event starts. `lagMs`: since the event happened. */
  firstAttempt(lagMs: number): void
  sampled(queue: readonly QueueSample[]): void
}

const FORMATS: readonly EndpointFormat[] = ['single', 'batch']
const OUTCOMES: readonly SendOutcome[] = ['delivered', 'failed', 'gone']
const STATUSES: readonly EndpointStatus[] = ['active', 'paused', 'disabled']

export const createWebhookMetrics = (metrics: Metrics): WebhookMetrics => {
  const attempts = addCounter(metrics, {
    name: 'carabiner_webhook_attempts_total',
    help: 'Requests to webhook endpoints by format and outcome. `gone`: the receiver answered 410.',
  })
  const cellsOf = (format: EndpointFormat) =>
    Object.fromEntries(OUTCOMES.map(outcome => [outcome, attempts.cell({ format, outcome })]))
  const counted = Object.fromEntries(FORMATS.map(format => [format, cellsOf(format)]))
  const durations = addHistogram(metrics, {
    name: 'carabiner_webhook_attempt_duration_seconds',
    help: 'Duration of requests to webhook endpoints.',
  }).cell()
  const lags = addHistogram(metrics, {
    name: 'carabiner_webhook_lag_seconds',
    help: 'From an event to the first attempt to deliver it.',
  }).cell()
  let sample: readonly QueueSample[] = []
  const read = (value: (of: QueueSample) => number) => () =>
    sample.length === 0
      ? []
      : STATUSES.map(status => {
          const found = sample.find(one => one.status === status)
          return { labels: { status }, value: found ? value(found) : 0 }
        })
  // Every process that delivers counts all endpoints.
  addGauge(metrics, {
    name: 'carabiner_webhook_endpoints',
    help: 'Webhook endpoints by status.',
    aggregator: 'max',
    read: read(({ endpoints }) => endpoints),
  })
  addGauge(metrics, {
    name: 'carabiner_webhook_pending_deliveries',
    help: 'Deliveries that are pending, by the status of the endpoint. At most 1000 of each endpoint are counted.',
    aggregator: 'max',
    read: read(({ pending }) => pending),
  })
  addGauge(metrics, {
    name: 'carabiner_webhook_oldest_due_seconds',
    help: 'For how long the first pending delivery has been due, by the status of the endpoint.',
    aggregator: 'max',
    read: read(({ oldestDueSeconds }) => oldestDueSeconds),
  })
  return {
    attempted: (format, outcome, durationMs) => {
      const cell = counted[format]?.[outcome]
      if (cell) cell.value++
      durations.observe(durationMs)
    },
    firstAttempt: lagMs => lags.observe(lagMs),
    sampled: queue => {
      sample = queue
    },
  }
}

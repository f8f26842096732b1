import { addGauge, type Metrics } from '../../platform/metrics/metrics.ts'
import type { PendingSample } from './approval-store.ts'

export type ApprovalMetrics = { sampled(sample: PendingSample): void }

/** Every process that runs jobs counts all approvals. */
export const createApprovalMetrics = (metrics: Metrics): ApprovalMetrics => {
  let latest: PendingSample | null = null
  const read = (value: (sample: PendingSample) => number) => () =>
    latest ? [{ labels: {}, value: value(latest) }] : []
  addGauge(metrics, {
    name: 'carabiner_approvals_pending',
    help: 'Calls that wait for a person.',
    aggregator: 'max',
    read: read(({ pending }) => pending),
  })
  addGauge(metrics, {
    name: 'carabiner_approvals_oldest_pending_seconds',
    help: 'For how long the first of them has waited.',
    aggregator: 'max',
    read: read(({ oldestSeconds }) => oldestSeconds),
  })
  return {
    sampled: sample => {
      latest = sample
    },
  }
}

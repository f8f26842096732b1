import type { Database } from '../database/database.ts'
import { addPoolMetrics } from '../database/pool-metrics.ts'
import { readFileDescriptors, usedShare } from '../health/file-descriptors.ts'
import type { Log } from '../log.ts'
import { addGauge, createMetrics, type MetricReport, type Metrics } from './metrics.ts'
import type { MetricsAddress } from './metrics-server.ts'

export const createServiceMetrics = (db: Database, version: string): Metrics => {
  const metrics = createMetrics()
  addGauge(metrics, {
    name: 'carabiner_build_info',
    help: 'The version of the service.',
    aggregator: 'max',
    read: () => [{ labels: { version }, value: 1 }],
  })
  addGauge(metrics, {
    name: 'carabiner_processes',
    help: 'Processes of this service that responded to the scrape.',
    read: () => [{ labels: {}, value: 1 }],
  })
  addGauge(metrics, {
    name: 'carabiner_file_descriptors_used_ratio',
    help: 'Open files and connections of a process as a share of its limit. Of several processes, the largest.',
    aggregator: 'max',
    read: () => {
      const found = readFileDescriptors()
      return found ? [{ labels: {}, value: usedShare(found) }] : []
    },
  })
  addPoolMetrics(metrics, db)
  return metrics
}

export type ReadReport = () => Promise<MetricReport[]>

// The Prometheus client and the listener are loaded only if they are used.

/** Reads the metrics of this process. Null if metrics are off. */
export const openReporter = async (
  address: MetricsAddress | undefined,
  metrics: Metrics,
): Promise<ReadReport | null> => {
  if (!address) return null
  const { createReporter } = await import('./exposition.ts')
  return createReporter(metrics)
}

export const serveMetrics = async (
  address: MetricsAddress,
  read: ReadReport,
  log: Log,
): Promise<AsyncDisposable> => {
  const { openMetricsServer } = await import('./metrics-server.ts')
  return openMetricsServer({ ...address, read, log })
}

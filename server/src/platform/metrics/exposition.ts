import { collectDefaultMetrics, Registry } from '@prometheus-io/client'
import type { MetricReport, Metrics } from './metrics.ts'

export const CONTENT_TYPE = Registry.PROMETHEUS_CONTENT_TYPE

/** Reads the metrics of this process, with those of Node: CPU, memory, event loop, garbage collection. */
export const createReporter = (metrics: Metrics): (() => Promise<MetricReport[]>) => {
  const node = new Registry()
  collectDefaultMetrics({ register: node })
  return async () => [...((await node.getMetricsAsJSON()) as unknown as MetricReport[]), ...metrics.read()]
}

/** Merges the reports of several processes into one. */
export const mergeReports = (reports: MetricReport[][]): MetricReport[] => {
  const merged = Registry.aggregate(reports).getMetricsAsArray() as unknown as MetricReport[]
  return merged.map(({ name, help, type, aggregator, values }) => ({ name, help, type, aggregator, values }))
}

/** The text that Prometheus reads. */
export const formatReport = (report: MetricReport[]): Promise<string> => {
  const registry = new Registry()
  for (const metric of report) registry.registerMetric({ ...metric, get: async () => metric } as never)
  return registry.metrics()
}

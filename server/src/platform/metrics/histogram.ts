import type { Labels, Metrics, MetricValue } from './metrics.ts'

/** Upper bounds in seconds: from a step that needs no I/O to the timeout of a provider call. */
const BOUNDS = [0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]

/** The durations with one set of labels. Callers keep it, so that observing needs no lookup by labels. */
export type HistogramCell = { observe(milliseconds: number): void }

export type Histogram = { cell(labels?: Labels): HistogramCell }

type Recorded = { labels: Labels; counts: number[]; sum: number }

/** Durations, in seconds as Prometheus expects them. Cells without observations are not exported. */
export const addHistogram = (metrics: Metrics, description: { name: string; help: string }): Histogram => {
  const cells: Recorded[] = []
  metrics.add(() => ({
    ...description,
    type: 'histogram',
    aggregator: 'sum',
    values: cells.flatMap(cell => valuesOf(description.name, cell)),
  }))
  return {
    cell: (labels = {}) => {
      const cell: Recorded = { labels, counts: Array.from({ length: BOUNDS.length + 1 }, () => 0), sum: 0 }
      cells.push(cell)
      return {
        observe: milliseconds => {
          const seconds = milliseconds / 1000
          let bucket = 0
          while (bucket < BOUNDS.length && seconds > (BOUNDS[bucket] as number)) bucket++
          cell.counts[bucket] = (cell.counts[bucket] as number) + 1
          cell.sum += seconds
        },
      }
    },
  }
}

/** Buckets are cumulative in the exposition format. */
const valuesOf = (name: string, { labels, counts, sum }: Recorded): MetricValue[] => {
  let total = 0
  const buckets = counts.map((count, n) => {
    total += count
    return { metricName: `${name}_bucket`, labels: { le: BOUNDS[n] ?? '+Inf', ...labels }, value: total }
  })
  if (total === 0) return []
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: sum },
    { metricName: `${name}_count`, labels, value: total },
  ]
}

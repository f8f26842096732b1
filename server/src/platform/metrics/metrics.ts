/** One metric with its values, in the form in which processes exchange them. */
export type MetricReport = {
  name: string
  help: string
  type: 'counter' | 'gauge' | 'histogram'
  /** How the values of several processes are merged. */
  aggregator: 'sum' | 'max'
  values: MetricValue[]
}

export type MetricValue = {
  labels: Labels
  value: number
  /** Only of histograms: the name with its suffix. */
  metricName?: string
}

export type Labels = Readonly<Record<string, string | number>>

/**
 * The metrics of this process. Features declare their own beside their code. Nothing is formatted until a scrape, and
 * the Prometheus client is loaded only if there is a listener for it.
 */
export type Metrics = {
  add(read: () => MetricReport): void
  read(): MetricReport[]
}

export const createMetrics = (): Metrics => {
  const readers: (() => MetricReport)[] = []
  return {
    add: read => void readers.push(read),
    read: () => readers.map(read => read()),
  }
}

type Description = { name: string; help: string }

/** One value of a counter. Callers keep it and increment `value`, so that counting needs no lookup by labels. */
export type CounterCell = { readonly labels: Labels; value: number }

export type Counter = { cell(labels?: Labels): CounterCell }

/** A value that was never incremented is exported only if the counter has no labels. */
export const addCounter = (metrics: Metrics, description: Description): Counter => {
  const cells: CounterCell[] = []
  metrics.add(() => ({
    ...description,
    type: 'counter',
    aggregator: 'sum',
    values: cells.filter(({ labels, value }) => value > 0 || isEmpty(labels)).map(cell => ({ ...cell })),
  }))
  return {
    cell: (labels = {}) => {
      const cell = { labels, value: 0 }
      cells.push(cell)
      return cell
    },
  }
}

type GaugeOptions = Description & {
  /** Default: sum. */
  aggregator?: 'sum' | 'max'
  read: () => MetricValue[]
}

/** `read` is called at each scrape. */
export const addGauge = (
  metrics: Metrics,
  { aggregator = 'sum', read, ...description }: GaugeOptions,
): void => metrics.add(() => ({ ...description, type: 'gauge', aggregator, values: read() }))

const isEmpty = (labels: Labels): boolean => Object.keys(labels).length === 0

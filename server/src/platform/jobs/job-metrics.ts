import { addCounter, addGauge, type CounterCell, type Metrics } from '../metrics/metrics.ts'

export type JobMetrics = {
  /** Declares the jobs of this process. */
  add(names: string[]): void
  ended(name: string, outcome: 'success' | 'error'): void
}

type JobCells = { success: CounterCell; error: CounterCell; lastSuccess: number }

/** The label is not `job`, which Prometheus sets itself. */
export const createJobMetrics = (metrics: Metrics, now: () => number = Date.now): JobMetrics => {
  const jobs = new Map<string, JobCells>()
  const runs = addCounter(metrics, {
    name: 'carabiner_job_runs_total',
    help: 'Runs of scheduled jobs by outcome.',
  })
  addGauge(metrics, {
    name: 'carabiner_job_last_success_timestamp_seconds',
    help: 'Time of the last successful run of each job, in the processes that run jobs. Before the first run: the start.',
    aggregator: 'max',
    read: () =>
      [...jobs].map(([name, { lastSuccess }]) => ({ labels: { job_name: name }, value: lastSuccess / 1000 })),
  })
  return {
    add: names => {
      for (const name of names)
        jobs.set(name, {
          success: runs.cell({ job_name: name, outcome: 'success' }),
          error: runs.cell({ job_name: name, outcome: 'error' }),
          lastSuccess: now(),
        })
    },
    ended: (name, outcome) => {
      const cells = jobs.get(name)
      if (!cells) return
      cells[outcome].value++
      if (outcome === 'success') cells.lastSuccess = now()
    },
  }
}

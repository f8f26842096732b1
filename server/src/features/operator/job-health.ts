import type { InstallationHealth } from '@carabiner/contract'
import type { HealthCheck } from './health-status.ts'
import type { JobRun } from './installation-store.ts'

export type ScheduledJob = { name: string; cron: string }
type JobHealth = InstallationHealth['jobs'][number]

const MINUTE_SECONDS = 60
/** A run may take a while, and a node that was stopped misses its ticks. */
const GRACE_SECONDS = 5 * MINUTE_SECONDS

/** The schedules of this service: every minute, every n minutes, or once an hour. */
export const intervalOf = (cron: string): number => {
  const [minute = ''] = cron.split(' ')
  if (minute === '*') return MINUTE_SECONDS
  const every = /^\*\/(\d+)$/.exec(minute)
  return every ? Number(every[1]) * MINUTE_SECONDS : 60 * MINUTE_SECONDS
}

export const describeJobs = (
  schedule: readonly ScheduledJob[],
  runs: readonly JobRun[],
  uptimeSeconds: number,
): JobHealth[] =>
  schedule.map(({ name, cron }) => {
    const run = runs.find(each => each.name === name)
    const interval = intervalOf(cron)
    const maxIdle = 2 * interval + GRACE_SECONDS
    // A job that has never succeeded is late when the process runs for long enough.
    const idle = run?.idleSeconds ?? uptimeSeconds
    const failsNow = run !== undefined && run.endedAt.getTime() !== run.succeededAt?.getTime()
    return {
      name,
      status: idle > maxIdle ? 'problem' : failsNow ? 'warning' : 'ok',
      interval_seconds: interval,
      last_run_at: run?.endedAt.toISOString() ?? null,
      last_success_at: run?.succeededAt?.toISOString() ?? null,
    }
  })

export const checkJobs = (jobs: readonly JobHealth[]): HealthCheck => {
  const named = (status: JobHealth['status']) =>
    jobs.filter(job => job.status === status).map(({ name }) => name)
  const late = named('problem')
  const failing = named('warning')
  if (late.length > 0)
    return {
      name: 'jobs',
      status: 'problem',
      found: `These jobs are not running: ${late.join(', ')}.`,
      fix: 'Check that a process is running with ROLE=worker or ROLE=all, and search its log for “job failed” and “queue”.',
    }
  if (failing.length > 0)
    return {
      name: 'jobs',
      status: 'warning',
      found: `The last run of these jobs failed: ${failing.join(', ')}.`,
      fix: 'They run again on schedule. If they keep failing, search the log for “job failed”.',
    }
  return { name: 'jobs', status: 'ok', found: `${jobs.length} jobs run on schedule`, fix: null }
}

import { setTimeout as delay } from 'node:timers/promises'
import { PgBoss } from 'pg-boss'
import { SECOND } from '../../core/duration.ts'
import type { Database } from '../database/database.ts'
import type { Log } from '../log.ts'
import type { Metrics } from '../metrics/metrics.ts'
import { createJobMetrics } from './job-metrics.ts'
import { queueStore } from './queue-store.ts'

/**
 * A job must be safe to run at any time, twice, and on two nodes at once. Its work is defined by rows in the
 * database.
 */
export type Job = { name: string; cron: string; run: () => Promise<void> }

export type Queue = {
  /** Runs a job before its next tick, in every process that runs jobs. A lost wake-up only delays the job. */
  wake(name: string): Promise<void>
  /** Runs these jobs in this process from now on: when woken and, if `withSchedule`, at their times. Called at most once. */
  start(jobs: Job[], options?: { withSchedule?: boolean }): void
  /** Throws if the queue cannot be started or used. Resolves to `not_used` if this process runs no jobs. */
  check(): Promise<'ok' | 'starting' | 'not_used'>
  /** Resolves when the jobs are scheduled. */
  started: Promise<void>
  stop(): Promise<void>
}

type Options = { db: Database; log: Log; metrics: Metrics }
type Running = { stop(): Promise<void> }

const WAKE_CHANNEL = 'carabiner_jobs'
const START_RETRY_INTERVAL_MS = 2 * SECOND
const STOP_GRACE_MS = 5 * SECOND
/** Connections that hang are left to the end of the process. */
const STOP_TIMEOUT_MS = STOP_GRACE_MS + 3 * SECOND

/**
 * pg-boss stores the cron schedule, so that each tick runs on one node. Pending work is stored in our own tables by
 * our own transactions. The service starts serving before the queue, which retries until the database is available.
 */
export const createQueue = ({ db, log, metrics }: Options): Queue => {
  const jobMetrics = createJobMetrics(metrics)
  const stopping = new AbortController()
  const started = Promise.withResolvers<void>()
  let parts: Promise<Running | null>[] = []
  let schedule: 'none' | 'starting' | 'running' = 'none'
  /** Why the last attempt to start a part failed, by part. */
  const failures = new Map<string, unknown>()
  const run = async (job: Job): Promise<void> => {
    const succeeded = await attempt(job)
    jobMetrics.ended(job.name, succeeded ? 'success' : 'error')
    await queueStore
      .recordRun(db, job.name, succeeded)
      .catch((error: unknown) => log.warn({ error, job: job.name }, 'the run of the job was not recorded'))
  }
  const attempt = async (job: Job): Promise<boolean> => {
    try {
      await job.run()
      log.debug({ job: job.name }, 'job completed')
      return true
    } catch (error) {
      log.error({ error, job: job.name }, 'job failed; it will run again at its next tick')
      return false
    }
  }

  return {
    wake: name => db.notify(WAKE_CHANNEL, name),
    start: (jobs, { withSchedule = true } = {}) => {
      log.info('this process runs the jobs')
      jobMetrics.add(jobs.map(({ name }) => name))
      const startPart = async (part: string, start: () => Promise<Running>) => {
        const running = await startWithRetries(start, stopping.signal, error => {
          failures.set(part, error)
          log.warn({ error, job: 'queue' }, 'the job queue could not be started; retrying')
        })
        failures.delete(part)
        return running
      }
      const startSchedule = async () => {
        const running = await startBoss(db, jobs, run, log)
        schedule = 'running'
        return { stop: () => running.stop({ graceful: true, timeout: STOP_GRACE_MS, close: true }) }
      }
      parts = [startPart('wake-ups', () => listenForWakeUps(db, jobs, run))]
      if (withSchedule) {
        schedule = 'starting'
        parts.push(startPart('schedule', startSchedule))
      }
      void Promise.all(parts).then(() => started.resolve())
    },
    check: async () => {
      if (parts.length === 0) return 'not_used'
      for (const error of failures.values()) throw error
      if (schedule === 'none') return 'ok'
      if (schedule === 'starting') return 'starting'
      // Not on the connections of pg-boss: after a failover they may hang for a minute, which only delays jobs.
      if (!(await queueStore.isInstalled(db))) throw new Error('the tables of the job queue are missing')
      return 'ok'
    },
    started: started.promise,
    stop: async () => {
      stopping.abort()
      const stopped = Promise.all(parts.map(async part => (await part)?.stop()))
      const ended = new AbortController()
      await Promise.race([stopped, delay(STOP_TIMEOUT_MS, undefined, { signal: ended.signal })])
      ended.abort()
    },
  }
}

const startWithRetries = async (
  start: () => Promise<Running>,
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): Promise<Running | null> => {
  while (!signal.aborted) {
    try {
      return await start()
    } catch (error) {
      onFailure(error)
      await delay(START_RETRY_INTERVAL_MS, undefined, { signal }).catch(() => undefined)
    }
  }
  return null
}

const startBoss = async (
  db: Database,
  jobs: Job[],
  run: (job: Job) => Promise<void>,
  log: Log,
): Promise<PgBoss> => {
  const boss = new PgBoss({ schema: 'pgboss', ...db.queueConnection })
  boss.on('error', error => log.warn({ error, job: 'queue' }, 'queue error'))
  try {
    await boss.start()
    for (const job of jobs) {
      await boss.createQueue(job.name, { policy: 'stately', retryLimit: 0 })
      await boss.work(job.name, { pollingIntervalSeconds: 5 }, () => run(job))
      await boss.schedule(job.name, job.cron)
    }
    return boss
  } catch (error) {
    await boss.stop({ graceful: false, close: true }).catch(() => undefined)
    throw error
  }
}

const listenForWakeUps = async (
  db: Database,
  jobs: Job[],
  run: (job: Job) => Promise<void>,
): Promise<Running> => {
  const running = new Map<string, Promise<void>>()
  const unlisten = await db.listen(WAKE_CHANNEL, name => {
    const job = jobs.find(candidate => candidate.name === name)
    if (job && !running.has(name))
      running.set(
        name,
        run(job).finally(() => running.delete(name)),
      )
  })
  return {
    stop: async () => {
      await unlisten()
      await Promise.all(running.values())
    },
  }
}

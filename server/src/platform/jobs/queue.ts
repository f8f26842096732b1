import { setTimeout as delay } from 'node:timers/promises'
import { PgBoss } from 'pg-boss'
import { SECOND } from '../../core/duration.ts'
import type { Database } from '../database/database.ts'
import type { Log } from '../log.ts'

/**
 * A job must be safe to run at any time, twice, and on two nodes at once. Its work is defined by rows in the
 * database.
 */
export type Job = { name: string; cron: string; run: () => Promise<void> }

export type Queue = {
  /** Runs a job before its next tick, on every node. A lost wake-up only delays the job. */
  wake(name: string): Promise<void>
  started: Promise<void>
  stop(): Promise<void>
}

type Options = { db: Database; jobs: Job[]; log: Log }
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
export const startQueue = ({ db, jobs, log }: Options): Queue => {
  const stopping = new AbortController()
  const run = async (job: Job): Promise<void> => {
    try {
      await job.run()
    } catch (error) {
      log.error({ error, job: job.name }, 'job failed; it will run again at its next tick')
    }
  }
  const starting = startWithRetries(
    async () => {
      const boss = await startBoss(db, jobs, run, log)
      return { stop: () => boss.stop({ graceful: true, timeout: STOP_GRACE_MS, close: true }) }
    },
    stopping.signal,
    log,
  )
  const listening = startWithRetries(() => listenForWakeUps(db, jobs, run), stopping.signal, log)

  return {
    wake: name => db.notify(WAKE_CHANNEL, name),
    started: Promise.all([starting, listening]).then(() => undefined),
    stop: async () => {
      stopping.abort()
      const stopped = Promise.all([listening, starting].map(async part => (await part)?.stop()))
      const ended = new AbortController()
      await Promise.race([stopped, delay(STOP_TIMEOUT_MS, undefined, { signal: ended.signal })])
      ended.abort()
    },
  }
}

const startWithRetries = async (
  start: () => Promise<Running>,
  signal: AbortSignal,
  log: Log,
): Promise<Running | null> => {
  while (!signal.aborted) {
    try {
      return await start()
    } catch (error) {
      log.warn({ error, job: 'queue' }, 'the job queue could not be started; retrying')
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

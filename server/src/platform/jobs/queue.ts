import { setTimeout as delay } from 'node:timers/promises'
import { PgBoss } from 'pg-boss'
import { SECOND } from '../../core/duration.ts'
import type { Database } from '../database/database.ts'
import type { Log } from '../log.ts'

/** A job is safe to run at any time, twice, and on two nodes at once: the rows it takes say what is to be done. */
export type Job = { name: string; cron: string; run: () => Promise<void> }

export type Queue = {
  /** Shortens the wait for a job's next tick, on every node; a lost wake-up costs time and nothing else. */
  wake(name: string): Promise<void>
  started: Promise<void>
  stop(): Promise<void>
}

type Options = { db: Database; jobs: Job[]; log: Log }
type Running = { stop(): Promise<void> }

const WAKE_CHANNEL = 'carabiner_jobs'
const START_RETRY = 2 * SECOND
const GRACE = 5 * SECOND
/** Its connections may hang, and are then left to the end of the process. */
const LONGEST_STOP = GRACE + 3 * SECOND

/**
 * pg-boss keeps the cron table, so that each tick runs on one node. What there is to do stands in our own tables,
 * written by our own transactions. The service answers before the queue has started, and without a database the queue
 * goes on trying: jobs are never the reason for not serving.
 */
export const startQueue = ({ db, jobs, log }: Options): Queue => {
  const stopping = new AbortController()
  const run = async (job: Job): Promise<void> => {
    try {
      await job.run()
    } catch (error) {
      log.error({ error, job: job.name }, 'job failed; it runs again at its next tick')
    }
  }
  const starting = startWithRetries(
    async () => {
      const boss = await startBoss(db, jobs, run, log)
      return { stop: () => boss.stop({ graceful: true, timeout: GRACE, close: true }) }
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
      await Promise.race([stopped, delay(LONGEST_STOP, undefined, { signal: ended.signal })])
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
      log.warn({ error, job: 'queue' }, 'the job queue cannot start yet')
      await delay(START_RETRY, undefined, { signal }).catch(() => undefined)
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

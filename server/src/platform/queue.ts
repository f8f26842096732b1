import { PgBoss } from 'pg-boss'
import type { Database } from './database.ts'
import type { Log } from './log.ts'

/** A job is safe to run at any time, twice, and on two nodes at once: the rows it takes say what is to be done. */
export type Job = { name: string; cron: string; run: () => Promise<void> }

export type Queue = { wake(name: string): Promise<void>; stop(): Promise<void> }

type Options = { db: Database; jobs: Job[]; log: Log }

const WAKE_CHANNEL = 'carabiner_jobs'

/**
 * pg-boss keeps the cron table, so that each tick runs on one node. What there is to do stands in our own tables,
 * written by our own transactions; a wake-up is a hint that shortens the wait for the next tick.
 */
export const startQueue = async ({ db, jobs, log }: Options): Promise<Queue> => {
  const boss = new PgBoss({ schema: 'pgboss', ...db.queueConnection })
  boss.on('error', error => log.error({ error, job: 'queue' }, 'queue error'))
  await boss.start()

  const run = async (job: Job): Promise<void> => {
    try {
      await job.run()
    } catch (error) {
      log.error({ error, job: job.name }, 'job failed; it runs again at its next tick')
    }
  }
  for (const job of jobs) {
    await boss.createQueue(job.name, { policy: 'stately', retryLimit: 0 })
    await boss.work(job.name, { pollingIntervalSeconds: 5 }, () => run(job))
    await boss.schedule(job.name, job.cron)
  }
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
    wake: name => db.notify(WAKE_CHANNEL, name),
    stop: async () => {
      await unlisten()
      await Promise.all(running.values())
      await boss.stop({ graceful: true, timeout: 5000, close: true })
    },
  }
}

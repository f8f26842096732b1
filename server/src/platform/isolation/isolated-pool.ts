import { SECOND } from '../../core/duration.ts'
import { createFairQueue } from './fair-queue.ts'
import { IsolatedError } from './isolated-error.ts'
import { createIsolatedWorker, type IsolatedWorker } from './isolated-worker.ts'

export { IsolatedError, type IsolatedFailure } from './isolated-error.ts'

/** Runs computations whose cost a customer or a provider controls, outside the thread that serves requests. */
export type IsolatedPool = {
  /** `owner`: the organization that the task is run for. `cpuMs`: its CPU limit. */
  run(owner: string, task: string, input: unknown, options?: { cpuMs?: number }): Promise<unknown>
  close(): Promise<void>
}

export type IsolatedPoolOptions = {
  /** The worker module, which calls `serveTasks`. */
  entry: URL
  workers?: number
  maxQueuedPerOwner?: number
  maxWaitMs?: number | undefined
  memoryMb?: number
  /** Called for each started worker, for tests. */
  onStart?: () => void
}

type Job = {
  owner: string
  task: string
  input: unknown
  cpuMs: number
  /** Rejects the job if it is still queued after `maxWaitMs`. Cleared at its start, because it keeps `input` in memory. */
  waitTimer?: NodeJS.Timeout
  resolve: (output: unknown) => void
  reject: (error: unknown) => void
}

const DEFAULT_CPU_MS = SECOND

/**
 * A few threads that run one task at a time. An organization uses at most one of them, is queued behind organizations
 * that have used less CPU time recently, and may queue only a few tasks. A thread that exceeds its limit is
 * terminated and replaced.
 */
export const createIsolatedPool = ({
  entry,
  workers: size = 2,
  maxQueuedPerOwner = 64,
  maxWaitMs = 20 * SECOND,
  memoryMb = 192,
  onStart,
}: IsolatedPoolOptions): IsolatedPool => {
  const idle: IsolatedWorker[] = []
  const all = new Set<IsolatedWorker>()
  const queue = createFairQueue<Job>({ maxQueuedPerOwner, maxRunningPerOwner: Math.max(1, size - 1) })
  let closed = false

  const obtainWorker = (): IsolatedWorker | null => {
    const free = idle.pop()
    if (free) return free
    if (all.size >= size) return null
    onStart?.()
    const worker = createIsolatedWorker({ entry, memoryMb })
    all.add(worker)
    return worker
  }

  const runNext = (): void => {
    if (closed) return
    while (idle.length > 0 || all.size < size) {
      const job = queue.take()
      if (!job) return
      clearTimeout(job.waitTimer)
      void perform(obtainWorker() as IsolatedWorker, job)
    }
  }

  const perform = async (worker: IsolatedWorker, job: Job): Promise<void> => {
    let cpuMs = job.cpuMs
    try {
      const done = await worker.run(job.task, job.input, job.cpuMs)
      cpuMs = done.cpuMs
      job.resolve(done.output)
    } catch (error) {
      job.reject(error)
    } finally {
      if (worker.alive()) idle.push(worker)
      else all.delete(worker)
      queue.release(job.owner, cpuMs)
      runNext()
    }
  }

  return {
    run: (owner, task, input, { cpuMs = DEFAULT_CPU_MS } = {}) =>
      new Promise((resolve, reject) => {
        const job: Job = { owner, task, input, cpuMs, resolve, reject }
        if (closed || !queue.add(owner, job)) return reject(new IsolatedError('busy', BUSY))
        job.waitTimer = setTimeout(() => {
          if (queue.remove(owner, job)) reject(new IsolatedError('busy', BUSY))
        }, maxWaitMs).unref()
        runNext()
      }),
    close: async () => {
      closed = true
      await Promise.all([...all].map(worker => worker.stop()))
    },
  }
}

const BUSY = 'Too many computations of this organization are queued.'

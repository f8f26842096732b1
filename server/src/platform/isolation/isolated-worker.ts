import { Worker } from 'node:worker_threads'
import { IsolatedError } from './isolated-error.ts'
import type { Ready, TaskReply } from './isolated-tasks.ts'

/** A worker thread. It is terminated when a task exceeds its limit, and is not reused. */
export type IsolatedWorker = {
  run(task: string, input: unknown, cpuMs: number): Promise<{ output: unknown; cpuMs: number }>
  alive(): boolean
  stop(): Promise<void>
}

/** On a busy machine a task may need this many times its CPU time. After that it is terminated, whatever it has used. */
const MAX_WALL_FACTOR = 20

export const createIsolatedWorker = ({
  entry,
  memoryMb,
}: {
  entry: URL
  memoryMb: number
}): IsolatedWorker => {
  const worker = new Worker(entry, {
    resourceLimits: { maxOldGenerationSizeMb: memoryMb, maxYoungGenerationSizeMb: 32 },
    // Workers need no settings, and must not see secrets.
    env: {},
    execArgv: [],
  })
  let alive = true
  /** CPU time of the thread at the start of the current task; null before the thread is ready. */
  let idleCpuMs: number | null = null
  let fail: ((error: unknown) => void) | null = null
  let reply: ((reply: TaskReply) => void) | null = null
  worker.unref()
  worker.on('message', (message: TaskReply | Ready) => {
    if ('ready' in message) idleCpuMs = message.cpuMs
    else reply?.(message)
  })
  worker.on('error', (error: NodeJS.ErrnoException) => {
    alive = false
    fail?.(error.code === 'ERR_WORKER_OUT_OF_MEMORY' ? tooExpensive('memory') : error)
  })
  worker.on('exit', () => {
    alive = false
    fail?.(new Error('The worker thread exited.'))
  })

  const usedCpuMs = async (): Promise<number> => {
    const { user, system } = await worker.cpuUsage()
    return idleCpuMs === null ? 0 : (user + system) / 1000 - idleCpuMs
  }
  const end = (error: Error): void => {
    alive = false
    fail?.(error)
    void worker.terminate()
  }
  const watch = (cpuMs: number): NodeJS.Timeout => {
    let checks = 0
    return setInterval(() => {
      if (++checks >= MAX_WALL_FACTOR) return end(tooExpensive('time'))
      usedCpuMs().then(
        used => used >= cpuMs && fail !== null && end(tooExpensive('CPU time')),
        () => undefined,
      )
    }, cpuMs)
  }

  return {
    run: async (task, input, cpuMs) => {
      worker.ref()
      const timer = watch(cpuMs)
      try {
        const answer = await new Promise<TaskReply>((resolve, reject) => {
          reply = resolve
          fail = reject
          // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
          worker.postMessage({ task, input })
        })
        const used = answer.cpuMs - (idleCpuMs ?? 0)
        idleCpuMs = answer.cpuMs
        if ('error' in answer) throw new Error(`The isolated task ${task} failed: ${answer.error}`)
        return { output: answer.output, cpuMs: used }
      } finally {
        clearInterval(timer)
        reply = null
        fail = null
        worker.unref()
      }
    },
    alive: () => alive,
    stop: async () => {
      alive = false
      await worker.terminate()
    },
  }
}

const tooExpensive = (what: string): IsolatedError =>
  new IsolatedError('too_expensive', `The computation exceeded its limit of ${what}.`)

import { parentPort } from 'node:worker_threads'

export type Tasks = Record<string, (input: never) => unknown>
/** `cpuMs`: CPU time of the thread since its start. */
export type TaskReply = { cpuMs: number } & ({ output: unknown } | { error: string })
/** Sent once the tasks are imported. */
export type Ready = { ready: true; cpuMs: number }

/** Runs in the worker thread: executes each task as it arrives and replies. */
export const serveTasks = (tasks: Tasks): void => {
  const reply = (message: object): void => {
    const { user, system } = process.threadCpuUsage()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    parentPort?.postMessage({ ...message, cpuMs: (user + system) / 1000 })
  }
  reply({ ready: true })
  parentPort?.on('message', ({ task, input }: { task: string; input: never }) => {
    reply(perform(tasks, task, input))
  })
}

const perform = (tasks: Tasks, task: string, input: never): { output: unknown } | { error: string } => {
  try {
    const run = tasks[task]
    if (!run) return { error: `there is no task ${task}` }
    return { output: run(input) }
  } catch (error) {
    return { error: (error as Error).message }
  }
}

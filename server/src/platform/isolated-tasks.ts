import { parentPort } from 'node:worker_threads'

export type Tasks = Record<string, (input: never) => unknown>
/** `cpuMs`: CPU time of the thread since its start. */
export type TaskReply = { cpuMs: number } & ({ output: unknown } | { error: string })

/** Runs in the worker thread: performs each task as it arrives, and replies. */
export const serveTasks = (tasks: Tasks): void => {
  parentPort?.on('message', ({ task, input }: { task: string; input: never }) => {
    const result = perform(tasks, task, input)
    const { user, system } = process.threadCpuUsage()
    // oxlint-disable-next-line unicorn/require-post-message-target-origin -- a thread, not a window
    parentPort?.postMessage({ ...result, cpuMs: (user + system) / 1000 })
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

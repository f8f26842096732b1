import type { WakeUps } from '../../../platform/jobs/wake-ups.ts'
import { DECISIONS_TOPIC } from '../../approvals/decide-approval.ts'
import type { CallDeps } from '../calls/call-tool.ts'
import { taskStore } from '../tasks/task-store.ts'
import { type DueTask, runTask } from './run-task.ts'

/** Calls that have been approved, and those that their servers have accepted, which take minutes. */
const MAX_RUNNING = { approved: 16, accepted: 64 }

type Deps = CallDeps & { wakeUps: WakeUps }
export type TaskWorker = {
  /** Resolves when the running tasks have ended. */
  stop(): Promise<void>
}

/** Runs the tasks whose approval was given, and those that other processes have left. Every process may: one update decides which one takes a task. */
export const startTaskWorker = (deps: Deps): TaskWorker => {
  const running = { approved: new Map<string, Promise<void>>(), accepted: new Map<string, Promise<void>>() }
  const start = (kind: keyof typeof running, task: DueTask): void => {
    const { [kind]: those } = running
    if (those.has(task.id) || those.size >= MAX_RUNNING[kind]) return
    const run = runTask(deps, task)
      .catch((error: unknown) => deps.log.warn({ error, task_id: task.id }, 'a task could not be run'))
      .finally(() => those.delete(task.id))
    those.set(task.id, run)
  }
  const unwatch = deps.wakeUps.watch([DECISIONS_TOPIC], async () => {
    const due = await taskStore.findDue(deps.db, MAX_RUNNING.approved + MAX_RUNNING.accepted)
    for (const task of due) start(task.approvalStatus === null ? 'accepted' : 'approved', task)
    return deps.wakeUps.recheckMs
  })
  return {
    stop: async () => {
      unwatch()
      await Promise.all([...running.approved.values(), ...running.accepted.values()])
    },
  }
}

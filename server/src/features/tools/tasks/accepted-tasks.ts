import { SECOND } from '../../../core/duration.ts'
import { newUuid } from '../../../core/uuid.ts'
import type { Database } from '../../../platform/database/database.ts'
import type { WakeUps } from '../../../platform/jobs/wake-ups.ts'
import type { Log } from '../../../platform/log.ts'
import type { Vault } from '../../../platform/vault/vault.ts'
import { LEFT_RUNNING } from '../../upstream/mcp-client/await-task.ts'
import type { ToolCall } from '../admission/admit-call.ts'
import { serializeResult, type ToolResult } from '../results/tool-result.ts'
import { sealCall, sealResult, type TaskOf } from './sealed-task.ts'
import { type TaskPlace, taskStore } from './task-store.ts'

/** A call of this process whose MCP server has made a task of it. */
export type AcceptedTask = {
  id: string
  /** Aborted when the client cancels the task, and when this process stops. */
  signal: AbortSignal
  /** Stores the result. If this process stops, another one waits for the result. */
  end(result: ToolResult): Promise<void>
}

export type AcceptedTasks = {
  /** Null: the call cannot become a task now. */
  begin(
    call: ToolCall,
    of: { organizationId: string; userKey: Buffer },
    serverTaskId: string,
  ): Promise<AcceptedTask | null>
  /** A task that was taken from a process that has ended. */
  resume(of: TaskOf): AcceptedTask
  /** Wakes the process that waits for the task. */
  cancel(of: TaskPlace): void
  isStopping(): boolean
  /** Resolves when every call of an accepted task has ended. */
  stop(): Promise<void>
}

/** Each holds a slot of its connector and of its user, which other calls need too. */
const MAX_PER_ORGANIZATION = 24
const LEASE_RENEWAL_MS = 20 * SECOND

const cancellationOf = ({ id }: TaskPlace): string => `task:${id}`

export const createAcceptedTasks = (deps: {
  db: Database
  vault: Vault
  wakeUps: WakeUps
  log: Log
}): AcceptedTasks => {
  const { db, vault, wakeUps, log } = deps
  const running = new Map<AbortController, { organizationId: string; ended: Promise<void> }>()
  let stopping = false

  const follow = (of: TaskOf): AcceptedTask => {
    const controller = new AbortController()
    const { promise: ended, resolve: markEnded } = Promise.withResolvers<void>()
    running.set(controller, { organizationId: of.organizationId, ended })
    const report = (error: unknown): void =>
      log.error({ error, task_id: of.id }, 'a task could not be stored')
    const renewal = setInterval(() => void taskStore.renew(db, of).catch(report), LEASE_RENEWAL_MS).unref()
    const unfollow = wakeUps.follow(cancellationOf(of), () => controller.abort())
    const store = async (result: ToolResult): Promise<void> => {
      if (controller.signal.reason === LEFT_RUNNING) return taskStore.release(db, of)
      await taskStore.complete(db, of, await sealResult(vault, of, serializeResult(result)))
    }
    if (stopping) controller.abort(LEFT_RUNNING)
    return {
      id: of.id,
      signal: controller.signal,
      end: async result => {
        await store(result).catch(report)
        clearInterval(renewal)
        unfollow()
        running.delete(controller)
        markEnded()
      },
    }
  }

  const hasSpace = (organizationId: string): boolean =>
    [...running.values()].filter(each => each.organizationId === organizationId).length < MAX_PER_ORGANIZATION

  return {
    begin: async (call, { organizationId, userKey }, serverTaskId) => {
      if (stopping || !hasSpace(organizationId)) return null
      const { keyHash, registeredUserId, toolPackId } = call
      const of = { organizationId, id: newUuid(), registeredUserId, userKey }
      const sealed = await sealCall(vault, of, call, serverTaskId)
      await taskStore.createAccepted(db, { keyHash, registeredUserId, toolPackId }, { ...of, sealed })
      return follow(of)
    },
    resume: follow,
    cancel: of => wakeUps.wake(cancellationOf(of)),
    isStopping: () => stopping,
    stop: async () => {
      stopping = true
      const ended = [...running.values()].map(each => each.ended)
      for (const controller of running.keys()) controller.abort(LEFT_RUNNING)
      await Promise.all(ended)
    },
  }
}

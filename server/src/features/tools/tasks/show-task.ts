import { SECOND } from '../../../core/duration.ts'
import type { JsonObject } from '../../../core/json/object.ts'
import type { StoredTask } from './task-store.ts'

/** The only name in the `inputRequests` of a task. */
export const TASK_QUESTION = 'approve'

const POLL_INTERVAL_MS = 5 * SECOND
const POLL_WHILE_RUNNING_MS = SECOND

type Shown = {
  /** Where a person decides. Null: the call waits for nobody. */
  url: string | null
  /** The client can open a URL for its user. */
  opensUrls: boolean
  /** Of a completed task. */
  result: JsonObject | null
}

/** The form of the MCP extension. A call that has failed is completed, with a result that says so. */
export const showTask = (task: StoredTask, { url, opensUrls, result }: Shown): JsonObject => {
  const isPending = task.approvalStatus === 'pending' || task.approvalStatus === 'confirming'
  const shown = {
    taskId: task.taskId,
    createdAt: task.createdAt.toISOString(),
    lastUpdatedAt: task.updatedAt.toISOString(),
    ttlMs: task.expiresAt.getTime() - task.createdAt.getTime(),
    pollIntervalMs: isPending ? POLL_INTERVAL_MS : POLL_WHILE_RUNNING_MS,
  }
  if (task.status === 'cancelled') return { ...shown, status: 'cancelled' }
  if (task.status === 'completed') return { ...shown, status: 'completed', result: result ?? {} }
  if (!isPending || url === null) return { ...shown, status: 'working' }
  const statusMessage = `A person must approve this call: ${url}`
  if (!opensUrls || task.isAnswered) return { ...shown, status: 'working', statusMessage }
  const message = 'A person must approve this call before it is made. The page shows the call.'
  const params = { mode: 'url', url, message }
  return {
    ...shown,
    status: 'input_required',
    statusMessage,
    inputRequests: { [TASK_QUESTION]: { method: 'elicitation/create', params } },
  }
}

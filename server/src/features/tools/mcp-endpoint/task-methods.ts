import { isObject } from '../../../core/json/object.ts'
import { isUuid, NIL_UUID } from '../../../core/uuid.ts'
import { approvalUrl } from '../../approvals/approval-address.ts'
import { DECISIONS_TOPIC, withdrawOpen } from '../../approvals/decide-approval.ts'
import type { FoundCaller, Known } from '../admission/caller-store.ts'
import { TASKS_EXTENSION } from '../mcp-protocol/envelope.ts'
import { RPC, type RpcId, type RpcResponse, rpcError } from '../mcp-protocol/json-rpc.ts'
import { resultResponse } from '../mcp-protocol/result-response.ts'
import { requireActiveCaller } from '../steps/require-caller.ts'
import { openResult } from '../tasks/sealed-task.ts'
import { showTask, TASK_QUESTION } from '../tasks/show-task.ts'
import { type StoredTask, type TaskPlace, taskStore } from '../tasks/task-store.ts'
import { type Method, type MethodContext, type MethodDeps, serverInfo } from './method.ts'

// The extension io.modelcontextprotocol/tasks of revision 2026-07-28.

type OwnTask = Known<FoundCaller> & StoredTask

/** A task of another user, Tool Pack or caller is not told apart from one that does not exist. */
const findOwnTask = async (
  { db }: MethodDeps,
  { address }: MethodContext,
  id: unknown,
): Promise<OwnTask | null> => {
  const found = await taskStore.find(db, address, typeof id === 'string' && isUuid(id) ? id : NIL_UUID)
  requireActiveCaller(found)
  return found.taskId === null ? null : (found as OwnTask)
}

/** Extension, "Capability negotiation": only clients that declare it may use its methods. */
const withTask =
  (
    answer: (deps: MethodDeps, context: MethodContext, task: OwnTask, of: TaskPlace) => Promise<RpcResponse>,
  ): Method =>
  async (deps, context) => {
    const { request, envelope } = context
    if (!envelope.takesTasks) return tasksRequired(request.id)
    const task = await findOwnTask(deps, context, request.params?.taskId)
    if (!task) return rpcError(request.id, RPC.invalidParams, 'There is no such task, or it has expired.')
    return answer(deps, context, task, { organizationId: task.organizationId, id: task.taskId })
  }

export const tasksRequired = (id: RpcId): RpcResponse =>
  rpcError(id, RPC.missingCapability, 'This needs a client that declares the extension for tasks.', {
    requiredCapabilities: TASKS_EXTENSION,
  })

const show = async (deps: MethodDeps, { envelope }: MethodContext, task: OwnTask): Promise<object> => {
  const { organizationId, approvalMode: mode, approvalId: id, approvalRules: rules } = task
  const url =
    id &&
    mode &&
    rules &&
    approvalUrl(deps, { organizationId, mode }, { id, rules, expiresAt: task.expiresAt })
  const of = { organizationId, id: task.taskId, registeredUserId: task.userId, userKey: task.userKey }
  const isCompleted = task.status === 'completed' && task.sealed !== null
  const result = isCompleted ? await openResult(deps, of, task.sealed as Buffer) : null
  return showTask(task, { url, opensUrls: envelope.opensUrls, result })
}

/** Returned instead of the result of a call. The task can be read from now on. */
export const taskCreated = async (
  deps: MethodDeps,
  context: MethodContext,
  id: string,
): Promise<RpcResponse> => {
  const task = await findOwnTask(deps, context, id)
  if (!task) throw new Error(`task ${id} does not belong to its caller`)
  const { inputRequests: _, ...shown } = (await show(deps, context, task)) as { inputRequests?: unknown }
  return resultResponse(serverInfo(deps), context, { ...shown, resultType: 'task' })
}

export const getTask = withTask(async (deps, context, task, of) => {
  const { keyHash } = context.address
  const isOpen = task.status === 'waiting' || task.status === 'running'
  if (isOpen && !task.keyHash.equals(keyHash)) await taskStore.useKey(deps.db, of, keyHash)
  if (task.status === 'completed') await taskStore.markFetched(deps.db, of)
  if (task.status === 'waiting' && task.approvalStatus === 'approved') deps.wakeUps.wake(DECISIONS_TOPIC)
  return resultResponse(serverInfo(deps), context, await show(deps, context, task))
})

/** The answer of a client decides nothing: it ends the request to open the URL. */
export const updateTask = withTask(async (deps, context, task, of) => {
  const { inputResponses } = context.request.params ?? {}
  if (!isObject(inputResponses) || !Object.values(inputResponses).every(isObject))
    return rpcError(context.request.id, RPC.invalidParams, 'inputResponses is an object of answers.')
  if (task.approvalId && Object.hasOwn(inputResponses, TASK_QUESTION))
    await taskStore.answer(deps.db, of, task.approvalId)
  return resultResponse(serverInfo(deps), context, {})
})

/**
 * A waiting call is not made, and nobody is asked about it any more. A call that is being made goes on, unless its server has made a task of it,
 * which is cancelled there. A client that has fetched the result needs it no more: it is deleted.
 */
export const cancelTask = withTask(async (deps, context, task, of) => {
  const { organizationId, approvalId: id, approvalMode: mode } = task
  if (!(await taskStore.cancel(deps.db, of))) await taskStore.remove(deps.db, of)
  else if (id && mode) await withdrawOpen(deps, { organizationId, mode, id })
  else deps.acceptedTasks.cancel(of)
  return resultResponse(serverInfo(deps), context, {})
})

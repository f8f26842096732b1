import { isRefusal, Refusal } from '../../../core/refusal.ts'
import { newUuid } from '../../../core/uuid.ts'
import { errorObject, toRefusal } from '../../../edge/errors.ts'
import { denied } from '../../approvals/request-approval.ts'
import { callerStore } from '../admission/caller-store.ts'
import { type CallDeps, callTool } from '../calls/call-tool.ts'
import { errorResult, serializeResult, type ToolResult } from '../results/tool-result.ts'
import { requireActiveCaller } from '../steps/require-caller.ts'
import { openCall, sealResult, type TaskOf } from '../tasks/sealed-task.ts'
import { type TaskPlace, taskStore } from '../tasks/task-store.ts'

export type DueTask = Awaited<ReturnType<typeof taskStore.findDue>>[number]

/**
 * Makes the approved call of a task, or waits for the server that has accepted it. Ends the task if its approval has ended, or if nobody could
 * wait for the server in time.
 */
export const runTask = async (deps: CallDeps, task: DueTask): Promise<void> => {
  if (task.approvalStatus === 'approved') return makeCall(deps, task)
  if (task.approvalStatus !== null) return endTask(deps, task)
  await resumeCall(deps, task)
  await endTask(deps, task)
}

/** The path of the call, with every check, takes the approval. Only then it can reach the provider, so a task that is taken twice runs once. */
const makeCall = async (deps: CallDeps, task: DueTask): Promise<void> => {
  const { organizationId, id } = task
  // An access token that has expired is replaced when the client polls; the task waits for that until its approval expires.
  if (!(await isAdmitted(deps, task))) return
  const taken = await taskStore.take(deps.db, { organizationId, id })
  if (!taken) return
  const of: TaskOf = { organizationId, id, ...taken }
  const { call } = await openTask(deps, of, taken)
  try {
    const { result } = await callTool(deps, call)
    await complete(deps, of, result)
  } catch (error) {
    const refusal = toRefusal(error)
    // Another connection makes the call, and stores its result for the task. A call that was not made is attempted again after the lease.
    if (refusal.code === 'approval_used' || refusal.retryable || refusal.code === 'internal_error')
      throw error
    await complete(deps, of, errorOf(deps, refusal, call.requestId))
  }
}

/** The call stores its end. One that is not admitted at the moment is attempted again after the lease. */
const resumeCall = async (deps: CallDeps, task: DueTask): Promise<void> => {
  const { organizationId, id } = task
  if (!(await isAdmitted(deps, task))) return
  const taken = await taskStore.takeAccepted(deps.db, { organizationId, id })
  if (!taken) return
  const of: TaskOf = { organizationId, id, ...taken }
  const { call, serverTaskId } = await openTask(deps, of, taken)
  if (serverTaskId === undefined) throw new Error(`task ${id} has no ID at its server`)
  const resumes = { taskId: id, serverTaskId }
  try {
    await callTool(deps, { ...call, resumes })
  } catch (error) {
    const refusal = toRefusal(error)
    if (refusal.retryable || refusal.code === 'internal_error') throw error
    // A call that was not admitted has not ended its task.
    if (!deps.acceptedTasks.isStopping()) await complete(deps, of, errorOf(deps, refusal, call.requestId))
  }
}

type Taken = NonNullable<Awaited<ReturnType<typeof taskStore.take>>>

const openTask = async (deps: CallDeps, of: TaskOf, { sealed, keyHash, toolPackId }: Taken) => {
  const { serverTaskId, ...call } = await openCall(deps, of, sealed)
  const { registeredUserId } = of
  const { signal } = new AbortController()
  const rest = {
    keyHash,
    registeredUserId,
    toolPackId,
    requestId: newUuid(),
    signal,
    onProgress: null,
    onRate: null,
  }
  return { serverTaskId, call: { ...call, ...rest } }
}

const isAdmitted = async ({ db }: CallDeps, task: DueTask): Promise<boolean> => {
  try {
    requireActiveCaller(await callerStore.find(db, task))
    return true
  } catch (error) {
    if (isRefusal(error)) return false
    throw error
  }
}

const endTask = async (deps: CallDeps, { organizationId, id }: TaskPlace): Promise<void> => {
  const ended = await taskStore.findEnd(deps.db, { organizationId, id })
  if (!ended) return
  const of: TaskOf = { organizationId, id, ...ended }
  await complete(deps, of, errorOf(deps, endOf(ended), newUuid()))
}

type Ended = NonNullable<Awaited<ReturnType<typeof taskStore.findEnd>>>

const endOf = ({ approvalId, approvalStatus, decisionReason, toolCallId }: Ended): Refusal => {
  if (approvalId === null)
    return new Refusal('third_party_timeout', {
      message:
        'The server has accepted the call as a task, and its end was not waited for in time. It may have been carried out.',
      retryable: false,
      carriedOut: 'unknown',
    })
  if (approvalStatus === 'denied') return denied({ id: approvalId, decisionReason })
  if (approvalStatus === 'void') return new Refusal('approval_void')
  if (toolCallId === null) return new Refusal('approval_expired')
  return new Refusal('approval_used', {
    message: `This call was approved, and its process ended during call ${toolCallId}. It may have been carried out, and is not made again.`,
    retryable: false,
    carriedOut: 'unknown',
  })
}

const errorOf = ({ baseUrl }: CallDeps, refusal: Refusal, requestId: string): ToolResult =>
  errorResult({ error: { ...errorObject(refusal, requestId, baseUrl) } })

/** Without effect if the result was stored with the end of the approval. */
const complete = async ({ db, vault }: CallDeps, of: TaskOf, result: ToolResult): Promise<void> => {
  await taskStore.complete(db, of, await sealResult(vault, of, serializeResult(result)))
}

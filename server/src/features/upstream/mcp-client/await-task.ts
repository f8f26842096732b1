import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../../core/duration.ts'
import { isObject, type JsonObject } from '../../../core/json/object.ts'
import { EgressError } from '../../../platform/egress/egress.ts'
import { MAX_RESULT_BYTES } from '../call-limits.ts'
import { isStateless, META } from './client-revisions.ts'
import { type Connection, request } from './connection.ts'
import type { Reply, Wire } from './exchange.ts'
import { encodeHeaderValue } from './parameter-headers.ts'

const MIN_POLL_INTERVAL_MS = 0.1 * SECOND
const MAX_POLL_INTERVAL_MS = 5 * SECOND
const DEFAULT_POLL_INTERVAL_MS = SECOND
const CANCELLATION_TIMEOUT_MS = 2 * SECOND
const MAX_TASK_ID = 1024

/** Declared with calls: a server of revision 2026-07-28 may answer with a task (extension io.modelcontextprotocol/tasks). */
export const taskCapability = ({ revision }: Connection): JsonObject =>
  isStateless(revision)
    ? { [`${META}clientCapabilities`]: { extensions: { 'io.modelcontextprotocol/tasks': {} } } }
    : {}

/** The reason of a signal that ends the wait, but not the task: another process will wait for it. */
export const LEFT_RUNNING = new Error('The task goes on.')

export type TaskEnd =
  /** In the form of a reply to the call. */
  | { kind: 'replied'; reply: Reply }
  /** The task asks for input, which nobody can give here. It was cancelled. */
  | { kind: 'input_required' }
  /** The server has accepted the call, and its end is unknown. */
  | { kind: 'lost'; why: string }

/** The ID of the task that the server has made of a call, if it has. */
export const taskIdIn = ({ revision }: Connection, reply: Reply): string | null => {
  if (!isStateless(revision) || reply.kind !== 'result' || reply.result.resultType !== 'task') return null
  const { taskId } = reply.result
  return typeof taskId === 'string' && taskId.length > 0 && taskId.length <= MAX_TASK_ID ? taskId : null
}

/**
 * Polls until the task has ended or the signal of the wire aborts. The server has accepted the call, so no failure of a poll may look like one
 * of the call, which would be repeated.
 */
export const awaitTask = async (
  wire: Wire,
  connection: Connection,
  taskId: string,
  created: JsonObject,
): Promise<TaskEnd> => {
  const polling: Wire = { ...wire, onProgress: null }
  let interval = intervalOf(created)
  for (;;) {
    await delay(interval, undefined, { signal: wire.signal }).catch(() => undefined)
    if (wire.signal.reason === LEFT_RUNNING) return { kind: 'lost', why: 'goes on' }
    if (wire.signal.aborted) {
      void cancelTask(wire, connection, taskId)
      return { kind: 'lost', why: 'did not end in time, and was cancelled' }
    }
    const reply = await ask(
      { ...polling, budget: { bytes: MAX_RESULT_BYTES } },
      connection,
      'tasks/get',
      taskId,
    ).catch(transient)
    if (reply === null || isTransient(reply)) continue
    if (reply.kind !== 'result') return { kind: 'lost', why: 'can no longer be read' }
    const { status, result, error } = reply.result
    switch (status) {
      case 'working':
        interval = intervalOf(reply.result)
        continue
      case 'completed':
        if (!isObject(result)) return { kind: 'lost', why: 'has no valid result' }
        return { kind: 'replied', reply: { ...reply, result: { ...result, resultType: 'complete' } } }
      case 'failed':
        if (!isObject(error) || typeof error.code !== 'number')
          return { kind: 'lost', why: 'has failed without a reason' }
        return { kind: 'replied', reply: { ...reply, ...failedWith(error) } }
      case 'input_required':
        await cancelTask(wire, connection, taskId)
        return { kind: 'input_required' }
      case 'cancelled':
        return { kind: 'lost', why: 'was cancelled' }
      default:
        return { kind: 'lost', why: 'has no valid status' }
    }
  }
}

const failedWith = ({ code, message, data }: JsonObject) => ({
  kind: 'error' as const,
  error: { code: code as number, message: typeof message === 'string' ? message : '', data },
})

/** The next poll may succeed. */
const transient = (error: unknown): null => {
  if (error instanceof EgressError) return null
  throw error
}
const isTransient = ({ status }: Reply): boolean => status === 429 || status >= 500

const intervalOf = ({ pollIntervalMs }: JsonObject): number =>
  typeof pollIntervalMs === 'number' && Number.isFinite(pollIntervalMs)
    ? Math.min(Math.max(pollIntervalMs, MIN_POLL_INTERVAL_MS), MAX_POLL_INTERVAL_MS)
    : DEFAULT_POLL_INTERVAL_MS

const ask = (wire: Wire, connection: Connection, method: string, taskId: string): Promise<Reply> =>
  request(
    wire,
    connection,
    method,
    { taskId, _meta: taskCapability(connection) },
    { 'mcp-name': encodeHeaderValue(taskId) },
  )

/** The server may ignore it, or have ended the task already. */
const cancelTask = async (wire: Wire, connection: Connection, taskId: string): Promise<void> => {
  const signal = AbortSignal.timeout(CANCELLATION_TIMEOUT_MS)
  await ask({ ...wire, signal, onProgress: null }, connection, 'tasks/cancel', taskId).catch(transient)
}

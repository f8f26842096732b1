import { hash } from 'node:crypto'
import type { WakeUps } from '../../../platform/jobs/wake-ups.ts'
import type { RpcId } from '../mcp-protocol/json-rpc.ts'

/**
 * 2025 revisions: a client cancels by a separate message, which may reach another node than the call. The message is published under
 * the session and request ID, and the node that runs the call aborts it.
 */
export type CallsInFlight = {
  begin(sessionId: string, id: RpcId, cancel: () => void): () => void
  cancel(sessionId: string, id: RpcId): void
}

const topicOf = (sessionId: string, id: RpcId): string =>
  `call:${hash('sha256', JSON.stringify([sessionId, id]), 'base64url')}`

export const createCallsInFlight = (wakeUps: WakeUps): CallsInFlight => ({
  begin: (sessionId, id, cancel) => wakeUps.follow(topicOf(sessionId, id), cancel),
  cancel: (sessionId, id) => wakeUps.wake(topicOf(sessionId, id)),
})

import type { CallResult } from './call-result.ts'

/** How an approved call has ended. `callId`: its record. */
export type CallEnd = { callId: string } & ({ result: CallResult } | { error: unknown })

/**
 * Passes the result of an approved call to the callers of this process that wait for the same approval. The approval is for one caller, so
 * they all have the same principal. A result is neither stored nor sent to another process.
 */
export type SharedResults = {
  /** Resolves when a call of this process has carried out the approval. */
  join(approvalId: string): { ended: Promise<CallEnd>; leave(): void }
  /** Published before the approval ends in the database, so that a caller that reads the end has received the result. */
  publish(approvalId: string, end: CallEnd): void
}

export const createSharedResults = (): SharedResults => {
  const waiting = new Map<string, Set<(end: CallEnd) => void>>()
  return {
    join: approvalId => {
      const { promise, resolve } = Promise.withResolvers<CallEnd>()
      const callers = waiting.get(approvalId) ?? new Set()
      waiting.set(approvalId, callers.add(resolve))
      const leave = (): void => {
        callers.delete(resolve)
        if (callers.size === 0 && waiting.get(approvalId) === callers) waiting.delete(approvalId)
      }
      return { ended: promise, leave }
    },
    publish: (approvalId, end) => {
      for (const resolve of waiting.get(approvalId) ?? []) resolve(end)
    },
  }
}

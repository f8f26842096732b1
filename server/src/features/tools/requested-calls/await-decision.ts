import { isRefusal, Refusal } from '../../../core/refusal.ts'
import { readApprovalStatus } from '../../approvals/end-approvals.ts'
import { CALL_TIMEOUT_MS } from '../../upstream/call-limits.ts'
import type { ToolCall } from '../admission/admit-call.ts'
import { callerStore } from '../admission/caller-store.ts'
import type { ApprovalRequest, CallResult } from '../calls/call-result.ts'
import { type CallDeps, callTool } from '../calls/call-tool.ts'
import type { CallEnd } from '../calls/shared-results.ts'
import { requireActiveCaller } from '../steps/require-caller.ts'
import type { OpenStreams } from './open-streams.ts'
import { type Clock, progressAfter, whileWaiting } from './wait-clock.ts'

type Deps = CallDeps & { openStreams: OpenStreams }
type Wait = { clock: Clock; signal: AbortSignal }

/**
 * Waits for the decision of a person, and makes the call with every check. Callers that wait for the same approval get the result of the
 * one that makes it. Returns null without a decision until the wait is over.
 */
export const callOnceDecided = async (
  deps: Deps,
  call: ToolCall,
  { meta, organizationId }: ApprovalRequest,
  { clock, signal }: Wait,
): Promise<CallResult | null> => {
  const { approval_id: approvalId, message } = meta
  const caller = { ...call, organizationId }
  const shared = deps.sharedResults.join(approvalId)
  try {
    const decided = deps.openStreams.waitForApproval(caller, {
      approvalId,
      statuses: ['pending', 'confirming'],
      milliseconds: clock.left(),
      signal,
    })
    const waited = await whileWaiting(call, `Waiting for an approval. ${message}`, clock, () => decided)
    if (waited === 'over' || signal.aborted) return null
    const status = await readApprovalStatus(deps.db, organizationId, approvalId)
    if (status === 'void') throw new Refusal('approval_void')
    if (status === 'expired' || status === 'withdrawn') throw new Refusal('approval_expired')
    return await callTool(deps, { ...call, onProgress: progressAfter(call, clock.waited()) }).catch(
      async (error: unknown) => {
        if (!isRefusal(error, 'approval_used')) throw error
        const carriedOut = deps.openStreams
          .waitForApproval(caller, {
            approvalId,
            statuses: ['executing'],
            milliseconds: CALL_TIMEOUT_MS,
            signal,
          })
          .then(() => null)
        const end = await Promise.race([shared.ended, carriedOut])
        // Carried out by another process, which passes no results.
        if (!end) throw error
        return receive(deps, call, end)
      },
    )
  } finally {
    shared.leave()
  }
}

/** The call of another connection was admitted and settled; this one may have lost its right meanwhile. */
const receive = async (deps: Deps, call: ToolCall, end: CallEnd): Promise<CallResult> => {
  requireActiveCaller(await callerStore.find(deps.db, call))
  call.onRecord?.(end.callId)
  if ('error' in end) throw end.error
  return end.result
}

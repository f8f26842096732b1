import { newUuid } from '../../../core/uuid.ts'
import type { Queryable } from '../../../platform/database/database.ts'
import type { ToolCall } from '../admission/admit-call.ts'
import type { FoundCaller, Known } from '../admission/caller-store.ts'
import { type OwnCall, storedResultStore } from '../results/stored-result-store.ts'
import { headersToRecord } from './record-call.ts'

/** What the record of a call says about the request that made it. */
export type RecordedRequest = Pick<ToolCall, 'requestId' | 'headers' | 'trace' | 'onRecord'>

type Ended = Pick<OwnCall, 'tool'> & Partial<Pick<OwnCall, 'outcome' | 'errorCode' | 'violations'>>

/** Records the call of a tool of this service. Default: a success. It is not counted. */
export const recordOwnCall = async (
  db: Queryable,
  caller: Known<FoundCaller>,
  { requestId, headers, trace, onRecord }: RecordedRequest,
  { tool, outcome = 'success', errorCode = null, violations = [] }: Ended,
): Promise<void> => {
  const callId = newUuid()
  await storedResultStore.record(db, caller, {
    callId,
    tool,
    requestId,
    outcome,
    errorCode,
    violations,
    traceId: trace?.traceId ?? null,
    headers: headersToRecord(headers),
  })
  onRecord?.(callId)
}

import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../../core/duration.ts'
import { Refusal } from '../../../core/refusal.ts'
import type { Database, Queryable } from '../../../platform/database/database.ts'
import { isConnectionError } from '../../../platform/database/postgres/connection-error.ts'
import type { Admitted, ToolCall } from '../admission/admit-call.ts'
import {
  type CallFacts,
  type Reservation,
  type Settlement,
  settlementStore,
} from '../admission/settlement-store.ts'

type Deps = { db: Database; batched: Queryable }
/** `elapsedMs`: since the call began. `wasCalled`: the provider was called. */
type PerformedCall = Admitted & Pick<ToolCall, 'keyHash'> & { elapsedMs: number; wasCalled: boolean }

const SETTLEMENT_RETRY_MS = 5 * SECOND
const SETTLEMENT_RETRY_INTERVAL_MS = 0.25 * SECOND

/**
 * Writes the record and counts the call. The result is withheld if the user was deactivated or deleted, or the key regenerated or
 * revoked, while the call was in flight.
 */
export const settleCall = async (
  { db, batched }: Deps,
  performed: PerformedCall,
  settlement: Settlement,
  facts: CallFacts,
): Promise<void> => {
  const { admission, reserved, keyHash } = performed
  const call = {
    organizationId: admission.organizationId,
    registeredUserId: admission.userId,
    callId: reserved.callId,
    keyHash,
  }
  // A batch skips rows that another transaction has locked. Those are settled one by one, which waits for the lock.
  const settle = async () =>
    (await settlementStore.settleUnheld(batched, call, settlement, facts)) ??
    (await settlementStore.settle(db, call, settlement, facts)) ??
    (await settlementStore.settleLost(db, call, reservationOf(performed), settlement, facts))
  const settled = await (performed.wasCalled ? settlePersistently(settle) : settle())
  if (!settled?.userActive) throw new Refusal(settled ? 'user_inactive' : 'registered_user_not_found')
  if (!settled.keyValid) throw new Refusal('invalid_api_key', { param: 'Authorization' })
}

/**
 * After the provider was called, a short outage of the database is waited for, because an error would make the caller repeat the call. If
 * it lasts, the call stays in flight and is recorded as `unknown` later.
 */
const settlePersistently = async <T>(settle: () => Promise<T>): Promise<T> => {
  const endsAt = performance.now() + SETTLEMENT_RETRY_MS
  for (;;)
    try {
      return await settle()
    } catch (error) {
      if (!isConnectionError(error) || performance.now() >= endsAt) throw error
      await delay(SETTLEMENT_RETRY_INTERVAL_MS)
    }
}

const reservationOf = ({ admission, reserved, elapsedMs }: PerformedCall): Reservation => ({
  toolPackId: admission.packId,
  mode: admission.mode,
  connectorSlug: reserved.connectorSlug,
  tool: reserved.tool,
  credentialId: admission.credential?.id ?? null,
  accountLabel: admission.credential?.label ?? null,
  requestId: reserved.requestId,
  traceId: reserved.traceId,
  retentionDays: admission.retentionDays,
  slot: admission.slot,
  elapsedMs: Math.round(elapsedMs),
})

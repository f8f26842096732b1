import type { Transaction } from '../../../platform/database/database.ts'
import { recordEvent } from '../../events/record-event.ts'
import type { StoredSession } from '../sessions/link-session-store.ts'
import { attemptStore } from './attempt-store.ts'
import type { Ending } from './ending.ts'

/** Exit and failure end the attempt but not the link, which can be opened again until it expires or completes. */
export const recordEnded = async (
  tx: Transaction,
  session: StoredSession,
  ending: Exclude<Ending, { status: 'success' }>,
  attemptId: string | null,
): Promise<void> => {
  const reason = ending.status === 'error' ? ending.reason : null
  if (attemptId) {
    await attemptStore.finish(
      tx,
      session.organizationId,
      attemptId,
      ending.status === 'exit' ? 'exited' : 'failed',
      reason,
    )
  }
  await recordEvent(tx, {
    organizationId: session.organizationId,
    registeredUserId: session.registeredUserId,
    type: ending.status === 'exit' ? 'link.exited' : 'link.failed',
    payload: { link_session_id: session.id, ...(reason && { reason }) },
  })
}

import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE } from '../../../core/duration.ts'
import type { Database } from '../../../platform/database/database.ts'
import { moveStore, type UnfinishedWork } from './move-store.ts'

/** Longer than any call or refresh takes. */
const MAX_WAIT_MS = 2 * MINUTE
const INTERVAL_MS = 50

/**
 * Waits until nothing runs for an organization that has stopped accepting requests. A token that a provider has just issued must be
 * stored before the organization is fenced, otherwise it is lost. Returns what did not end in time.
 */
export const drainOrganization = async (
  db: Database,
  organizationId: string,
  { maxWaitMs = MAX_WAIT_MS, now = () => performance.now() }: { maxWaitMs?: number; now?: () => number } = {},
): Promise<UnfinishedWork> => {
  const deadline = now() + maxWaitMs
  for (;;) {
    const unfinished = await moveStore.unfinished(db, organizationId)
    const isIdle = Object.values(unfinished).every(count => count === 0)
    if (isIdle || now() > deadline) return unfinished
    await delay(INTERVAL_MS)
  }
}

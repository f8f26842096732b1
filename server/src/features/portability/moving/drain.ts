import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE, SECOND } from '../../../core/duration.ts'
import type { Database } from '../../../platform/database/database.ts'
import { moveStore, type UnfinishedWork } from './move-store.ts'

/** Longer than any call or refresh takes. */
const MAX_WAIT_MS = 2 * MINUTE
/** Longer than requests are counted. */
const MAX_REQUEST_WAIT_MS = 15 * SECOND
const INTERVAL_MS = 50

/** Reads counts until all are zero. Returns the last ones. */
const waitForZero = async <Counts extends Record<string, number>>(
  read: () => Promise<Counts>,
  maxWaitMs: number,
): Promise<Counts> => {
  const deadline = performance.now() + maxWaitMs
  for (;;) {
    const counts = await read()
    if (Object.values(counts).every(count => count === 0) || performance.now() > deadline) return counts
    await delay(INTERVAL_MS)
  }
}

/**
 * Waits until nothing runs for an organization that has stopped accepting requests. A token that a provider has just issued must be
 * stored before the organization is fenced, otherwise it is lost. Returns what did not end in time.
 */
export const drainOrganization = (
  db: Database,
  organizationId: string,
  maxWaitMs: number = MAX_WAIT_MS,
): Promise<UnfinishedWork> => waitForZero(() => moveStore.unfinished(db, organizationId), maxWaitMs)

/** Waits until no request is between its change and its entry in the audit trail, or its response. */
export const drainRequests = async (db: Database, organizationId: string): Promise<void> => {
  await waitForZero(() => moveStore.unfinishedRequests(db, organizationId), MAX_REQUEST_WAIT_MS)
}

import { setTimeout as delay } from 'node:timers/promises'
import { SECOND } from '../../core/duration.ts'
import { NIL_UUID } from '../../core/uuid.ts'
import type { Database } from '../../platform/database/database.ts'
import { revocationStore } from './revocation-store.ts'

const USERS_PER_BATCH = 100
const POLL_INTERVAL_MS = SECOND

/**
 * Invalidates the credentials of all users of an organization, and waits until the service has revoked them at their providers
 * or has given up, which takes up to a day.
 */
export const revokeOrganizationTokens = async (
  db: Database,
  organizationId: string,
  onPending: (pending: number) => void,
  pollMs = POLL_INTERVAL_MS,
): Promise<void> => {
  await invalidateCredentials(db, organizationId)
  for (;;) {
    const pending = await revocationStore.countPending(db, organizationId)
    onPending(pending)
    if (pending === 0) return
    await delay(pollMs)
  }
}

/** The same without waiting; may be repeated. Returns the number of tokens that are not revoked at their providers yet. */
export const startRevokingTokens = async (db: Database, organizationId: string): Promise<number> => {
  await invalidateCredentials(db, organizationId)
  return revocationStore.countPending(db, organizationId)
}

const invalidateCredentials = async (db: Database, organizationId: string): Promise<void> => {
  let after: string | null = NIL_UUID
  while (after !== null) {
    const from: string = after
    after = await db.transaction(tx =>
      revocationStore.revokeUsers(tx, organizationId, { after: from, limit: USERS_PER_BATCH }),
    )
  }
}

/** The number of accounts whose tokens are valid. */
export const countLinkedAccounts = (db: Database, organizationId: string): Promise<number> =>
  revocationStore.countLinked(db, organizationId)

import { networkOf } from '../../core/addresses/network.ts'
import { MINUTE, SECOND } from '../../core/duration.ts'
import { Refusal } from '../../core/refusal.ts'
import { newUuid } from '../../core/uuid.ts'
import type { Database } from '../../platform/database/database.ts'
import { normalizeEmail } from './add-person.ts'
import { personStore } from './person-store.ts'

/** Attempts to sign in to one account from one network. */
const MAX_ATTEMPTS = 10
/** From all networks. Higher, because anyone can use it up and lock the person out. */
const MAX_ATTEMPTS_OF_ALL = 100
const ATTEMPT_WINDOW_MS = 15 * MINUTE

/** The keys under which the attempt was counted; none if it names no account. Throws above the limits. */
export const countAttempt = async (db: Database, email: unknown, address: string): Promise<string[]> => {
  if (typeof email !== 'string' || email.length > 254) return []
  const account = `account:${normalizeEmail(email)}`
  const limits = { [`${account} ${networkOf(address)}`]: MAX_ATTEMPTS, [account]: MAX_ATTEMPTS_OF_ALL }
  for (const [key, limit] of Object.entries(limits)) {
    const attempt = { id: newUuid(), key, now: Date.now(), windowMs: ATTEMPT_WINDOW_MS }
    if ((await personStore.countAttempt(db, attempt)) > limit)
      throw new Refusal('too_many_attempts', { retryAfterSeconds: ATTEMPT_WINDOW_MS / SECOND })
  }
  return Object.keys(limits)
}

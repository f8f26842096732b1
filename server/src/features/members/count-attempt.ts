import { MINUTE, SECOND } from '../../core/duration.ts'
import { Refusal } from '../../core/refusal.ts'
import { newUuid } from '../../core/uuid.ts'
import type { Database } from '../../platform/database/database.ts'
import { normalizeEmail } from './add-person.ts'
import { personStore } from './person-store.ts'

/** Attempts to sign in to one account, whichever addresses they come from. */
const MAX_ATTEMPTS = 10
const ATTEMPT_WINDOW_MS = 15 * MINUTE

/** The key under which the attempt was counted; null if the request names no account. Throws above the limit. */
export const countAttempt = async (db: Database, body: unknown): Promise<string | null> => {
  const email = (body as { email?: unknown } | null)?.email
  if (typeof email !== 'string' || email.length > 254) return null
  const key = `account:${normalizeEmail(email)}`
  const count = await personStore.countAttempt(db, {
    id: newUuid(),
    key,
    now: Date.now(),
    windowMs: ATTEMPT_WINDOW_MS,
  })
  if (count > MAX_ATTEMPTS)
    throw new Refusal('too_many_attempts', { retryAfterSeconds: ATTEMPT_WINDOW_MS / SECOND })
  return key
}

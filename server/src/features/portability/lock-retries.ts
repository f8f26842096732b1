import { setTimeout as delay } from 'node:timers/promises'
import { MINUTE } from '../../core/duration.ts'

/**
 * A change of a table’s definition blocks the writers of all organizations while it waits for a lock, so it waits only briefly
 * and is retried.
 */
const LOCK_TIMEOUT_MS = 100
/** After a second of waiting, PostgreSQL cancels an autovacuum that holds the lock. */
const LONG_LOCK_TIMEOUT_MS = 1500
const LONG_ATTEMPT_INTERVAL = 10
const RETRY_DELAY_MS = 50
const DEADLINE_MS = 5 * MINUTE
const LOCK_NOT_AVAILABLE = '55P03'
const DEADLOCK = '40P01'

const isLockError = (error: unknown): boolean =>
  [LOCK_NOT_AVAILABLE, DEADLOCK].includes(String((error as { code?: unknown }).code))

/** Runs a statement that locks whole tables, with the given `lock_timeout`. */
export const retryLocked = async <T>(
  run: (lockTimeoutMs: number) => Promise<T>,
  clock = Date.now,
): Promise<T> => {
  const deadline = clock() + DEADLINE_MS
  for (let attempt = 1; ; attempt++)
    try {
      return await run(attempt % LONG_ATTEMPT_INTERVAL === 0 ? LONG_LOCK_TIMEOUT_MS : LOCK_TIMEOUT_MS)
    } catch (error) {
      if (!isLockError(error) || clock() > deadline) throw error
      await delay(RETRY_DELAY_MS)
    }
}

import { ArchiveRefusal, ImportFailure } from '../../../platform/archive/archive-refusal.ts'
import { leaveTransaction } from '../../../platform/database/database.ts'
import type { MoveRoute } from './move.ts'
import { moveStore } from './move-store.ts'

/** Throws if the lock was lost. */
export type RequireLock = () => Promise<void>

/**
 * Only one process at a time moves an organization. PostgreSQL releases the lock when its connection ends: with the process, but also if
 * the connection is lost. Another process may then take over, so the lock is checked before every step that decides who serves the
 * organization.
 */
export const withMoveLock = async <T>(
  { source, organizationId }: MoveRoute,
  work: (requireLock: RequireLock) => Promise<T>,
): Promise<T> => {
  let ended: PromiseSettledResult<T> | undefined
  const locked = source.db.transaction(async tx => {
    if (!(await moveStore.lock(tx, organizationId)))
      throw new ArchiveRefusal('Another process is moving this organization.')
    const requireLock = async () => {
      try {
        await moveStore.checkLock(tx)
      } catch (cause) {
        throw new ImportFailure(
          'The connection that holds the lock of the move was lost. Run the move again.',
          { cause },
        )
      }
    }
    // An error of the work must not end this transaction: if it were one of the target's connection, the transaction would be left to
    // PostgreSQL, which releases the lock only some time later.
    ;[ended] = await Promise.allSettled([leaveTransaction(() => work(requireLock))])
  })
  // The transaction changes nothing, so how it ends does not matter once the work has ended.
  await locked.catch(error => {
    if (!ended) throw error
  })
  if (ended?.status === 'fulfilled') return ended.value
  throw ended?.reason
}

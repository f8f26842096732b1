import type { Database, Queryable, Transaction } from '../../platform/database/database.ts'
import { fenceStore } from './fence-store.ts'
import { retryLocked } from './lock-retries.ts'
import { tenantRowsStore } from './tenant-rows-store.ts'

/**
 * Makes every write of the organization’s rows fail, for all processes. When this returns, all earlier writes have committed, and
 * none follows, except in the tables of `except`. May be repeated, also after it was interrupted.
 */
export const raiseFence = async (
  db: Database,
  organizationId: string,
  { except = [] }: { except?: string[] } = {},
): Promise<void> => {
  const done = new Set([...except, ...(await fenceStore.fencedTables(db, organizationId))])
  for (const table of await tenantRowsStore.tables(db))
    if (!done.has(table))
      await retryLocked(lockTimeoutMs => fenceStore.raise(db, { table, organizationId, lockTimeoutMs }))
}

/** May be repeated, also if the fence was not raised completely. */
export const dropFence = async (db: Database, organizationId: string): Promise<void> => {
  for (const table of await fenceStore.fencedTables(db, organizationId))
    await retryLocked(lockTimeoutMs => fenceStore.drop(db, { table, organizationId, lockTimeoutMs }))
}

export const isFenced = async (db: Queryable, organizationId: string): Promise<boolean> =>
  (await fenceStore.fencedTables(db, organizationId)).length > 0

/** A transaction that may write the rows of a fenced organization. */
export const writeThroughFence = <T>(
  db: Database,
  organizationId: string,
  work: (tx: Transaction) => Promise<T>,
): Promise<T> =>
  db.transaction(async tx => {
    await fenceStore.bypass(tx, organizationId)
    return work(tx)
  })

import type { Database } from '../../platform/database/database.ts'
import { retryLocked } from './lock-retries.ts'
import { tenantRowsStore } from './tenant-rows-store.ts'

/** A retention in days, and the time of a record. */
export type RecordPeriod = { days: number; at: string }

/**
 * Creates the partitions of records that do not exist: one for each period and retention, as for new records. Each is a transaction of its
 * own, because it blocks the writers of all organizations.
 */
export const createRecordPartitions = async (db: Database, periods: RecordPeriod[]): Promise<void> => {
  for (const missing of await tenantRowsStore.missingPartitions(db, periods))
    await retryLocked(lockTimeoutMs => tenantRowsStore.createPartition(db, { ...missing, lockTimeoutMs }))
}

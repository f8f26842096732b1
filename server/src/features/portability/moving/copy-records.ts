import { ImportFailure } from '../../../platform/archive/archive-refusal.ts'
import type { Database } from '../../../platform/database/database.ts'
import { type RecordBucket, type RecordRange, recordCopyStore } from '../record-copy-store.ts'
import { createRecordPartitions } from '../record-partitions.ts'
import { type CopiedRange, differingRuns } from './record-runs.ts'

export type RecordCopy = { source: Database; target: Database; organizationId: string }

/**
 * Makes the target have the records of the source in a range of time, by copying the buckets that differ. Returns the number of records
 * that were copied.
 */
export const copyRecords = async (
  copy: RecordCopy,
  range: CopiedRange,
  onProgress: (records: number) => void = () => undefined,
): Promise<number> => {
  const [wanted, present] = await countBoth(copy, range)
  await createRecordPartitions(copy.target, wanted)
  let records = 0
  let verified: Promise<void> = Promise.resolve()
  for (const run of differingRuns(wanted, present, range)) {
    const before = records
    const copied = await copyRun(copy, run, count => onProgress(before + count))
    await verified
    // The next run is copied meanwhile.
    verified = verifyRun(copy, run, copied)
    verified.catch(() => undefined)
    records += copied.records
  }
  await verified
  return records
}

/** Whether both have the same records. Much cheaper than a comparison by buckets. */
export const haveSameRecords = async (
  { source, target, organizationId }: RecordCopy,
  range: RecordRange,
): Promise<boolean> => {
  const [wanted, present] = await Promise.all([
    recordCopyStore.count(source, organizationId, range),
    recordCopyStore.count(target, organizationId, range),
  ])
  return wanted.records === present.records && wanted.ids === present.ids
}

const countBoth = (
  { source, target, organizationId }: RecordCopy,
  range: CopiedRange,
): Promise<[RecordBucket[], RecordBucket[]]> =>
  Promise.all([
    recordCopyStore.countByTime(source, organizationId, range, range.bucketSeconds),
    recordCopyStore.countByTime(target, organizationId, range, range.bucketSeconds),
  ])

type CopiedRecords = { records: number; checksum: bigint }

/** The next page is read while one is inserted. */
const copyRun = async (
  { source, target, organizationId }: RecordCopy,
  run: RecordRange,
  onProgress: (records: number) => void,
): Promise<CopiedRecords> => {
  await recordCopyStore.delete(target, organizationId, run)
  const copied: CopiedRecords = { records: 0, checksum: 0n }
  for await (const page of recordCopyStore.read(source, organizationId, run)) {
    await recordCopyStore.insert(target, organizationId, page)
    copied.records += page.records
    copied.checksum += BigInt(page.checksum)
    onProgress(copied.records)
  }
  return copied
}

/** Compares what the target has stored with what the source has sent. */
const verifyRun = async (
  { target, organizationId }: RecordCopy,
  run: RecordRange,
  copied: CopiedRecords,
): Promise<void> => {
  const { records, checksum } = await recordCopyStore.sum(target, organizationId, run)
  if (records !== copied.records || BigInt(checksum) !== copied.checksum)
    throw new ImportFailure(
      `The copied records from ${run.from.toISOString()} to ${run.until.toISOString()} differ from those of the source. Run the move again.`,
    )
}

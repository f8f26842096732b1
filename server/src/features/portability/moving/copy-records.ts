import { DAY } from '../../../core/duration.ts'
import type { Database } from '../../../platform/database/database.ts'
import { ImportFailure } from '../archive-refusal.ts'
import { insertRecords } from '../import-organization.ts'
import { type RecordRange, recordCopyStore } from '../record-copy-store.ts'
import { addRows, isEqualTotal, NO_ROWS, type RowTotal } from '../row-totals.ts'
import { tenantRowsStore } from '../tenant-rows-store.ts'

const PAGE = 1000

export type RecordCopy = { source: Database; target: Database; organizationId: string }

/**
 * Makes the target have the records of the source in a range of time, day by day. Records are only ever deleted, so a day with the same
 * number on both sides is complete. Returns the number of records that were copied.
 */
export const copyRecords = async (
  copy: RecordCopy,
  range: RecordRange,
  onProgress: (records: number) => void = () => undefined,
): Promise<number> => {
  const { source, target, organizationId } = copy
  const [wanted, present] = await Promise.all([
    recordCopyStore.countByDay(source, organizationId, range),
    recordCopyStore.countByDay(target, organizationId, range),
  ])
  const days = new Set([...wanted.keys(), ...present.keys()])
  let records = 0
  for (const day of [...days].toSorted())
    if (wanted.get(day) !== present.get(day)) {
      const before = records
      records += await copyDay(copy, dayOf(day, range), copied => onProgress(before + copied))
    }
  return records
}

const dayOf = (day: string, { from, until, asOf }: RecordRange): RecordRange => {
  const begins = Date.parse(`${day}T00:00:00Z`)
  return {
    from: new Date(Math.max(begins, from.getTime())),
    until: new Date(Math.min(begins + DAY, until.getTime())),
    asOf,
  }
}

const copyDay = async (
  { source, target, organizationId }: RecordCopy,
  range: RecordRange,
  onProgress: (records: number) => void,
): Promise<number> => {
  await recordCopyStore.delete(target, organizationId, range)
  const columns = await tenantRowsStore.columns(source, 'tool_calls')
  let copied: RowTotal = NO_ROWS
  for await (const lines of recordCopyStore.read(source, organizationId, range, PAGE)) {
    await insertRecords(target, organizationId, columns, lines)
    copied = addRows(copied, lines)
    onProgress(copied.rows)
  }
  let found: RowTotal = NO_ROWS
  for await (const lines of recordCopyStore.read(target, organizationId, range, PAGE))
    found = addRows(found, lines)
  if (!isEqualTotal(found, copied))
    throw new ImportFailure(
      `The copied records of ${range.from.toISOString().slice(0, 10)} differ from those of the source. Run the move again.`,
    )
  return copied.rows
}

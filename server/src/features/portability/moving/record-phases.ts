import { DAY, MINUTE, SECOND } from '../../../core/duration.ts'
import { ImportFailure } from '../../../platform/archive/archive-refusal.ts'
import { copyRecords, haveSameRecords, type RecordCopy } from './copy-records.ts'
import type { Move, MoveRoute } from './move.ts'
import type { CopiedRange } from './record-runs.ts'

/** Records that are older are complete: no call takes so long, and calls of killed processes are recorded after ten minutes. */
const MAX_CALL_MS = 15 * MINUTE
const END_OF_TIME = new Date('9999-01-01T00:00:00Z')

/** Complete records are compared by day, and the others by minute. */
export const recordRanges = (now: number): CopiedRange[] => {
  const asOf = new Date(now)
  const cutoff = new Date(now - MAX_CALL_MS)
  return [
    { from: new Date(0), until: cutoff, asOf, bucketSeconds: DAY / SECOND },
    { from: cutoff, until: END_OF_TIME, asOf, bucketSeconds: MINUTE / SECOND },
  ]
}

const copyOf = ({ source, target, organizationId }: MoveRoute): RecordCopy => ({
  source: source.db,
  target: target.db,
  organizationId,
})

/** Copies records while the organization is in use. Returns their number. */
export const copyRecordsInUse = async (move: Move, ranges: CopiedRange[]): Promise<number> => {
  let records = 0
  for (const range of ranges) {
    const before = records
    records += await copyRecords(copyOf(move), range, copied =>
      move.onProgress?.({ table: 'tool_calls', rows: before + copied, allRows: null }),
    )
  }
  return records
}

/** Copies the records that were written or deleted since then. The organization is frozen. */
export const completeRecords = async (move: Move, ranges: CopiedRange[]): Promise<number> => {
  let records = 0
  for (const range of ranges) {
    if (await haveSameRecords(copyOf(move), range)) continue
    records += await copyRecords(copyOf(move), range)
    if (!(await haveSameRecords(copyOf(move), range)))
      throw new ImportFailure('The records of both installations differ. Run the move again.')
  }
  return records
}

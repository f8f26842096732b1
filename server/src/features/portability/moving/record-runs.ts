import { SECOND } from '../../../core/duration.ts'
import type { RecordBucket, RecordRange } from '../record-copy-store.ts'

/** Records are compared, and copied again if they differ, in buckets of this length. */
export type CopiedRange = RecordRange & { bucketSeconds: number }

/** Adjacent buckets are copied together up to this number of records. */
const MAX_RUN_RECORDS = 20_000

type Difference = { begins: number; records: number }

/** The parts of a range whose records differ, in the order of time. */
export const differingRuns = (
  wanted: RecordBucket[],
  present: RecordBucket[],
  range: CopiedRange,
  maxRecords = MAX_RUN_RECORDS,
): RecordRange[] => {
  const length = range.bucketSeconds * SECOND
  const runs: { from: number; until: number; records: number }[] = []
  for (const { begins, records } of differences(wanted, present)) {
    const last = runs.at(-1)
    if (last && last.until === begins && last.records + records <= maxRecords) {
      last.until += length
      last.records += records
    } else runs.push({ from: begins, until: begins + length, records })
  }
  return runs.map(({ from, until }) => ({
    from: new Date(Math.max(from, range.from.getTime())),
    until: new Date(Math.min(until, range.until.getTime())),
    asOf: range.asOf,
  }))
}

const differences = (wanted: RecordBucket[], present: RecordBucket[]): Difference[] => {
  const there = contentByTime(present)
  const here = contentByTime(wanted)
  return [...new Set([...here.keys(), ...there.keys()])]
    .filter(begins => here.get(begins)?.content !== there.get(begins)?.content)
    .toSorted((a, b) => a - b)
    .map(begins => ({ begins, records: here.get(begins)?.records ?? 0 }))
}

/** A bucket has one element for each retention. */
const contentByTime = (buckets: RecordBucket[]): Map<number, { content: string; records: number }> => {
  const found = new Map<number, { content: string; records: number }>()
  for (const { begins, days, records, ids } of buckets) {
    const earlier = found.get(begins.getTime()) ?? { content: '', records: 0 }
    found.set(begins.getTime(), {
      content: `${earlier.content} ${days}:${records}:${ids}`,
      records: earlier.records + records,
    })
  }
  return found
}

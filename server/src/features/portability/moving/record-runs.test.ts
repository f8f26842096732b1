import assert from 'node:assert/strict'
import { describe, it } from 'node:test'
import type { RecordBucket } from '../record-copy-store.ts'
import { type CopiedRange, differingRuns } from './record-runs.ts'

const at = (minute: number): Date => new Date(Date.UTC(2026, 0, 1, 0, minute))
const range: CopiedRange = { from: at(0), until: at(60), asOf: at(60), bucketSeconds: 60 }
const bucket = (minute: number, records: number, ids: string, days = 90): RecordBucket => ({
  begins: at(minute),
  at: at(minute).toISOString(),
  days,
  records,
  ids,
})
const runs = (wanted: RecordBucket[], present: RecordBucket[]) =>
  differingRuns(wanted, present, range, 100).map(({ from, until }) => [
    (from.getTime() - at(0).getTime()) / 60_000,
    (until.getTime() - at(0).getTime()) / 60_000,
  ])

describe('the parts of a range whose records differ', () => {
  it('skips buckets with the same records', () => {
    const both = [bucket(1, 5, 'x'), bucket(2, 5, 'y')]
    assert.deepEqual(runs(both, both), [])
  })

  it('finds buckets that have another number of records, or other ones, or none', () => {
    const wanted = [bucket(1, 5, 'x'), bucket(3, 5, 'y'), bucket(5, 5, 'z')]
    const present = [bucket(1, 4, 'x'), bucket(3, 5, 'other'), bucket(7, 1, 'w')]
    assert.deepEqual(runs(wanted, present), [
      [1, 2],
      [3, 4],
      [5, 6],
      [7, 8],
    ])
  })

  it('compares each retention', () => {
    const wanted = [bucket(1, 5, 'x', 90), bucket(1, 5, 'y', 365)]
    assert.deepEqual(runs(wanted, [bucket(1, 5, 'y', 90), bucket(1, 5, 'x', 365)]), [[1, 2]])
    assert.deepEqual(runs(wanted, [bucket(1, 5, 'x', 90)]), [[1, 2]])
  })

  it('joins adjacent buckets up to a number of records', () => {
    const wanted = [1, 2, 3, 4, 6].map(minute => bucket(minute, 40, 'x'))
    assert.deepEqual(runs(wanted, []), [
      [1, 3],
      [3, 5],
      [6, 7],
    ])
    assert.deepEqual(runs([bucket(1, 1000, 'x')], []), [[1, 2]])
  })

  it('stays within the range', () => {
    const part = { ...range, from: new Date(at(1).getTime() + 30_000), until: new Date(at(3).getTime() + 1) }
    const wanted = [bucket(1, 1, 'x'), bucket(2, 1, 'x'), bucket(3, 1, 'x')]
    assert.deepEqual(differingRuns(wanted, [], part), [
      { from: part.from, until: part.until, asOf: part.asOf },
    ])
  })
})

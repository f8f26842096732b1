import { MODES } from '../../core/mode.ts'
import { NIL_UUID } from '../../core/uuid.ts'
import { readAhead } from '../../platform/archive/read-ahead.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import {
  bigint,
  double,
  integer,
  smallint,
  text,
  timestamptz,
  uuid,
} from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'
import type { RecordPeriod } from './record-partitions.ts'

/** Records from `from` until before `until`. Those that expire within a day of `asOf` are left out. */
export type RecordRange = { from: Date; until: Date; asOf: Date }

/** The number of records, and the exclusive or of the hashes of their IDs. Records are never changed, so their IDs identify them. */
export type RecordSet = { records: number; ids: string }
export type RecordBucket = RecordSet & RecordPeriod & { begins: Date }

/** Records as `read_record_page` returns them. */
export type RecordPage = { columns: string; records: number; checksum: string }

const range = { organizationId: uuid, from: timestamptz, until: timestamptz, asOf: timestamptz }
const OF_RANGE = `organization_id = :organizationId and mode in ('production', 'test') and started_at >= :from and started_at < :until
     and outlasts_move(started_at, retention_days, :asOf)`
const RECORD_SET = 'count(*) as records, coalesce(bit_xor(uuid_hash_extended(id, 0)), 0)::text as ids'

const countAll = statement({
  name: 'moves.count_records',
  parameters: range,
  columns: { records: bigint, ids: text },
  sql: `select ${RECORD_SET} from tool_calls where ${OF_RANGE}`,
})
const countBuckets = statement({
  name: 'moves.count_records_by_time',
  parameters: { ...range, seconds: double },
  columns: { begins: timestamptz, days: smallint, at: text, records: bigint, ids: text },
  sql: `select date_bin(make_interval(secs => :seconds), started_at, '2000-01-01 00:00:00Z') as begins, retention_days as days,
     min(started_at)::text as at, ${RECORD_SET} from tool_calls where ${OF_RANGE} group by 1, 2 order by 1, 2`,
})
const readPage = statement({
  name: 'moves.read_records',
  parameters: {
    organizationId: uuid,
    mode: text,
    afterTime: text,
    afterId: uuid,
    until: timestamptz,
    asOf: timestamptz,
    limit: integer,
    bytes: integer,
  },
  columns: {
    columns: text,
    records: bigint,
    checksum: text,
    lastTime: text,
    lastId: uuid,
  },
  sql: `select columns, records, checksum, last_time, last_id
   from read_record_page(:organizationId, :mode, :afterTime, :afterId, :until, :asOf, :limit, :bytes)`,
})
const insertPage = statement({
  name: 'moves.insert_records',
  parameters: { organizationId: uuid, columns: text },
  columns: { inserted: bigint },
  sql: 'select insert_record_page(:organizationId, :columns) as inserted',
})
const sumRange = statement({
  name: 'moves.sum_records',
  parameters: { organizationId: uuid, from: timestamptz, until: timestamptz },
  columns: { records: bigint, checksum: text },
  sql: 'select records, checksum from sum_records(:organizationId, :from, :until)',
})
const deleteRange = statement({
  name: 'moves.delete_records',
  parameters: { organizationId: uuid, from: timestamptz, until: timestamptz },
  columns: { deleted: bigint },
  sql: 'select delete_records(:organizationId, :from, :until) as deleted',
})

/** A page is kept in memory twice: the one that is inserted, and the next one. It may exceed the bytes by one record. */
const PAGE_LIMITS = { limit: 5000, bytes: 4 * 1024 * 1024 }

/** Pages of records, ordered by mode and time. */
async function* readPages(
  db: Queryable,
  organizationId: string,
  { from, until, asOf }: RecordRange,
): AsyncGenerator<RecordPage, void> {
  for (const mode of MODES) {
    const readAfter = (afterTime: string, afterId: string) =>
      one(db, readPage, { organizationId, mode, afterTime, afterId, until, asOf, ...PAGE_LIMITS })
    let page = await readAfter(from.toISOString(), NIL_UUID)
    while (page) {
      yield page
      page = await readAfter(page.lastTime, page.lastId)
    }
  }
}

/** Records of tool calls, which are never changed, so they can be copied while the organization is in use. */
export const recordCopyStore = {
  count: (db: Queryable, organizationId: string, of: RecordRange) =>
    one(db, countAll, { organizationId, ...of }) as Promise<RecordSet>,
  /** Ordered by time. */
  countByTime: (
    db: Queryable,
    organizationId: string,
    of: RecordRange,
    seconds: number,
  ): Promise<RecordBucket[]> => db.query(countBuckets, { organizationId, ...of, seconds }),
  /** The next page is read while the caller processes one. */
  read: (db: Queryable, organizationId: string, of: RecordRange) =>
    readAhead(readPages(db, organizationId, of)),
  insert: async (db: Queryable, organizationId: string, { columns }: RecordPage): Promise<number> =>
    (await one(db, insertPage, { organizationId, columns }))?.inserted ?? 0,
  /** The checksum is the sum of those of the pages. */
  sum: (db: Queryable, organizationId: string, { from, until }: Pick<RecordRange, 'from' | 'until'>) =>
    one(db, sumRange, { organizationId, from, until }) as Promise<{ records: number; checksum: string }>,
  delete: async (
    db: Queryable,
    organizationId: string,
    { from, until }: Pick<RecordRange, 'from' | 'until'>,
  ): Promise<number> => (await one(db, deleteRange, { organizationId, from, until }))?.deleted ?? 0,
}

import type { Mode } from '../../core/mode.ts'
import { NIL_UUID } from '../../core/uuid.ts'
import { one, type Queryable } from '../../platform/database/database.ts'
import { bigint, integer, text, timestamptz, uuid } from '../../platform/database/sql-types.ts'
import { statement } from '../../platform/database/statement.ts'

/** Records from `from` until before `until`. Those that expire within a day of `asOf` are left out. */
export type RecordRange = { from: Date; until: Date; asOf: Date }

const range = { organizationId: uuid, from: timestamptz, until: timestamptz, asOf: timestamptz }
const OF_RANGE = `organization_id = :organizationId and mode in ('production', 'test') and started_at >= :from and started_at < :until
     and outlasts_move(started_at, retention_days, :asOf)`

const readPage = statement({
  name: 'moves.read_records',
  parameters: { ...range, mode: text, afterTime: text, afterId: uuid, limit: integer },
  columns: { line: text, at: text, id: uuid },
  sql: 'select line, at, id from read_records(:organizationId, :mode, :from, :until, :asOf, :afterTime, :afterId, :limit)',
})
const countDays = statement({
  name: 'moves.count_records',
  parameters: range,
  columns: { day: text, records: bigint },
  sql: `select to_char(started_at at time zone 'UTC', 'YYYY-MM-DD') as day, count(*) as records from tool_calls where ${OF_RANGE} group by 1`,
})
const deleteRange = statement({
  name: 'moves.delete_records',
  parameters: { organizationId: uuid, from: timestamptz, until: timestamptz },
  columns: { deleted: bigint },
  sql: 'select delete_records(:organizationId, :from, :until) as deleted',
})

const MODES: Mode[] = ['production', 'test']

/** Reads records in pages, ordered by mode and time. The next page is read while the caller processes one. */
async function* readRecords(
  db: Queryable,
  organizationId: string,
  of: RecordRange,
  limit: number,
): AsyncGenerator<string[], void> {
  for (const mode of MODES) {
    const readAfter = (afterTime: string, afterId: string) =>
      db.query(readPage, { organizationId, ...of, mode, afterTime, afterId, limit })
    let page = await readAfter(of.from.toISOString(), NIL_UUID)
    for (let last = page.at(-1); last; last = page.at(-1)) {
      const next = page.length < limit ? Promise.resolve([]) : readAfter(last.at, last.id)
      // The caller may stop reading; an error is then of no interest.
      next.catch(() => undefined)
      yield page.map(({ line }) => line)
      page = await next
    }
  }
}

/** Records of tool calls, which are never changed, so they can be copied while the organization is in use. */
export const recordCopyStore = {
  read: readRecords,
  countByDay: async (db: Queryable, organizationId: string, of: RecordRange): Promise<Map<string, number>> =>
    new Map((await db.query(countDays, { organizationId, ...of })).map(({ day, records }) => [day, records])),
  delete: async (
    db: Queryable,
    organizationId: string,
    { from, until }: Pick<RecordRange, 'from' | 'until'>,
  ): Promise<number> => (await one(db, deleteRange, { organizationId, from, until }))?.deleted ?? 0,
}

import { NIL_UUID } from '../../../core/uuid.ts'
import {
  type Database,
  json,
  one,
  type Parameter,
  type Statement,
  statement,
} from '../../../platform/database/database.ts'
import type { RecordPosition } from './record-cursor.ts'
import type { RecordFilter } from './record-filter.ts'
import { AT, COLUMNS, type Owner, type RecordRow, STILL_KEPT } from './record-row.ts'

type Field = {
  column: string
  type: string
  holds: (parameter: string) => string
  of: (filter: RecordFilter) => Parameter
}
const column = (name: string, type: string, of: Field['of']): Field => ({
  column: name,
  type,
  holds: parameter => `c.${name} = ${parameter}`,
  of,
})
const FIELDS = {
  request: column('request_id', 'text', filter => filter.requestId),
  trace: column('trace_id', 'text', filter => filter.traceId),
  user: column('registered_user_id', 'uuid', filter => filter.registeredUserId),
  outcome: column('outcome', 'text', filter => filter.outcome),
  connector: column('connector_slug', 'text', filter => filter.connector),
  pack: column('tool_pack_id', 'uuid', filter => filter.toolPackId),
  tool: column('tool', 'text', filter => filter.tool),
  header: {
    column: 'headers',
    type: 'jsonb',
    holds: parameter => `c.headers @> ${parameter}`,
    of: ({ header }) => header && json({ [header.name]: header.value }),
  },
} satisfies Record<string, Field>
type FieldName = keyof typeof FIELDS
const NAMES = Object.keys(FIELDS) as FieldName[]

/** The filters that have an index, the one that leaves the fewest first; and time, where none of them is asked for. */
const LEADING = ['request', 'trace', 'user', 'outcome', 'connector'] as const
type Leading = (typeof LEADING)[number] | 'time'

/**
 * One filter leads, by its index and in the order of time; the others are looked for among the rows that it brings, and among so many of
 * them at most. So a page costs the same whatever is asked, and however many records there are: one that comes short says where to go on.
 */
const LOOKS = 10_000
/** Pages are at most so long. A number in the statement and no parameter: a plan that is kept would take it for a tenth of all there is. */
const LONGEST_PAGE = 1000

/**
 * A plan is made once for all questions, and then knows nothing of the one that is asked: it would take the rows for few, read them all and
 * sort them. In the order of an index, a page is read from where it begins, and no further than it goes.
 */
const IN_ORDER = `set local plan_cache_mode = force_generic_plan; set local enable_seqscan = off; set local enable_bitmapscan = off;
  set local enable_sort = off; set local enable_incremental_sort = off; set local jit = off`

const AFTER = `coalesce(timestamptz 'epoch' + $5::bigint * interval '1 microsecond', 'infinity')`
const UNTIL = `coalesce($4::timestamptz, 'infinity')`
const SINCE = `coalesce($3::timestamptz, '-infinity')`
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'
const OWN_PARAMETERS = 6

/**
 * $1 organization, $2 mode, $3 since, $4 until, $5 and $6 the position to go on from, $7 what the leading filter asks for. Its column is
 * compared and ordered by together with the time: no other index can be read in that order, however alike they seem while there are few
 * records. The bounds of the time alone say which parts of the table are needed.
 */
const led = (leading: Leading, columns: string, tail: string): string => {
  const first = leading === 'time' ? null : FIELDS[leading]
  const key = (before: string, ...rest: string[]) => [...(first ? [before] : []), ...rest].join(', ')
  const value = first ? `$7::${first.type}` : ''
  const rowKey = key(`c.${first?.column}`, 'c.started_at', 'c.id')
  const beforeId = `case when ${UNTIL} <= ${AFTER} then '${NIL_UUID}' else coalesce($6::uuid, '${LAST_ID}') end`
  return `
  select ${columns} from tool_calls c
  where c.organization_id = $1 and c.mode = $2 and ${STILL_KEPT}
    and c.started_at >= ${SINCE} and c.started_at <= least(${AFTER}, ${UNTIL})
    and (${rowKey}) >= (${key(value, SINCE, `'${NIL_UUID}'`)})
    and (${rowKey}) < (${key(value, `least(${AFTER}, ${UNTIL})`, beforeId)})${PARTIAL[leading] ?? ''}
  ${newestFirst(leading)} ${tail}`
}

const newestFirst = (leading: Leading): string =>
  `order by ${leading === 'time' ? '' : `c.${FIELDS[leading].column} desc, `}c.started_at desc, c.id desc`

/** Said, so that an index of some of the records is known to hold all that are asked for. */
const PARTIAL: Partial<Record<Leading, string>> = {
  outcome: ` and c.outcome <> 'success'`,
  trace: ' and c.trace_id is not null',
}

const othersThan = (leading: Leading): FieldName[] => NAMES.filter(name => name !== leading)

const pageBy = (leading: Leading, looks: number): Statement<RecordRow> => {
  const first = OWN_PARAMETERS + (leading === 'time' ? 1 : 2)
  const conditions = othersThan(leading).map((name, at) => {
    const { type, holds } = FIELDS[name]
    return `($${first + at}::${type} is null or ${holds(`$${first + at}`)})`
  })
  return statement(
    `tool_calls.page_by_${leading}_${looks}`,
    `select *, ${AT} from (${led(leading, COLUMNS, `limit ${looks}`)}) c where ${conditions.join(' and ')}
     ${newestFirst(leading)} limit $${first + conditions.length}`,
  )
}

/** The last that a page has looked at. */
const edgeBy = (leading: Leading, looks: number): Statement<RecordPosition> =>
  statement(
    `tool_calls.edge_by_${leading}_${looks}`,
    `select ${AT}, id from (${led(leading, 'c.started_at, c.id', `offset ${looks - 1} limit 1`)}) c`,
  )

type Statements = {
  page: Statement<RecordRow>
  bounded: Statement<RecordRow>
  edge: Statement<RecordPosition>
}
const statementsFor = (looks: number) =>
  Object.fromEntries(
    [...LEADING, 'time' as const].map(leading => [
      leading,
      {
        page: pageBy(leading, LONGEST_PAGE + 1),
        bounded: pageBy(leading, looks),
        edge: edgeBy(leading, looks),
      },
    ]),
  ) as Record<Leading, Statements>

const leadingOf = (filter: RecordFilter): Leading =>
  LEADING.find(
    name => FIELDS[name].of(filter) !== null && (name !== 'outcome' || filter.outcome !== 'success'),
  ) ?? 'time'

export type RecordPage = { rows: RecordRow[]; next: RecordPosition | null }

/** `looks`: fewer in tests, which would need as many records otherwise. */
export const createPageReader = (looks = LOOKS) => {
  const statements = statementsFor(looks)
  /** Newest first. May be short of `limit`, even empty, while there is more. */
  return (
    db: Database,
    { organizationId, mode }: Owner,
    filter: RecordFilter,
    after: RecordPosition | null,
    limit: number,
  ): Promise<RecordPage> => {
    const leading = leadingOf(filter)
    const { page, bounded, edge } = statements[leading]
    const others = othersThan(leading).map(name => FIELDS[name].of(filter))
    const isBounded = others.some(value => value !== null)
    const place = [organizationId, mode, filter.since, filter.until, after?.at ?? null, after?.id ?? null]
    const asked = leading === 'time' ? place : [...place, FIELDS[leading].of(filter)]
    return db.transaction(async tx => {
      await tx.script(IN_ORDER)
      const found = await tx.query(isBounded ? bounded : page, [...asked, ...others, limit + 1])
      const rows = found.slice(0, limit)
      const last = rows.at(-1)
      if (found.length > limit && last) return { rows, next: { at: last.at, id: last.id } }
      return { rows, next: isBounded ? await one(tx, edge, asked) : null }
    })
  }
}

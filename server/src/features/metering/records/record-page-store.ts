import type { TimePosition } from '../../../core/time-cursor.ts'
import { NIL_UUID } from '../../../core/uuid.ts'
import { FORCE_INDEX_ORDER } from '../../../platform/database/index-order.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import {
  type AnySqlType,
  bigint,
  jsonb,
  nullable,
  text,
  timestamptz,
  typed,
  uuid,
  type Values,
} from '../../../platform/database/sql-types.ts'
import { type ListStatement, listStatement } from '../../../platform/database/statement.ts'
import { AT, type CallRecord, COLUMNS, NOT_EXPIRED, type Owner, recordColumns } from './call-record.ts'
import type { RecordFilter } from './record-filter.ts'

type Field = {
  column: string
  type: AnySqlType
  condition: (parameter: string) => string
  of: (filter: RecordFilter) => unknown
}
const column = (name: string, type: AnySqlType, of: Field['of']): Field => ({
  column: name,
  type: nullable(type),
  condition: parameter => `c.${name} = ${parameter}`,
  of,
})
const FIELDS = {
  request: column('request_id', text, filter => filter.requestId),
  trace: column('trace_id', text, filter => filter.traceId),
  user: column('registered_user_id', uuid, filter => filter.registeredUserId),
  outcome: column('outcome', text, filter => filter.outcome),
  connector: column('connector_slug', text, filter => filter.connector),
  pack: column('tool_pack_id', uuid, filter => filter.toolPackId),
  tool: column('tool', text, filter => filter.tool),
  error: column('error_code', text, filter => filter.errorCode),
  account: {
    column: 'account_label',
    type: nullable(text),
    condition: parameter => `lower(c.account_label) = lower(${parameter})`,
    of: filter => filter.accountLabel,
  },
  header: {
    column: 'headers',
    type: nullable(jsonb),
    condition: parameter => `c.headers @> ${parameter}`,
    of: ({ header }) => header && { [header.name]: header.value },
  },
} satisfies Record<string, Field>
type FieldName = keyof typeof FIELDS
const NAMES = Object.keys(FIELDS) as FieldName[]

/** The filters with an index, the most selective first. Without any of them, records are read by time. */
const LEADING = ['request', 'trace', 'user', 'outcome', 'connector'] as const
type Leading = (typeof LEADING)[number] | 'time'

/**
 * The leading filter reads its index in the order of time; the other filters are applied to at most this many of its rows.
 * The cost of a page is therefore independent of the filters and the number of records. A page that stops early returns a
 * position to continue from.
 */
const MAX_SCANNED = 10_000
/**
 * The maximum page length. It is a literal in the statement, because a cached plan would estimate a parameter as a tenth of
 * all rows.
 */
const MAX_PAGE = 1000

const AFTER = `coalesce(timestamptz 'epoch' + :afterAt::bigint * interval '1 microsecond', 'infinity')`
const UNTIL = `coalesce(:until::timestamptz, 'infinity')`
const SINCE = `coalesce(:since::timestamptz, '-infinity')`
const LAST_ID = 'ffffffff-ffff-ffff-ffff-ffffffffffff'

/** `afterAt`, `afterId`: the position to continue from. */
const rangeParameters = {
  organizationId: uuid,
  mode: text,
  since: nullable(timestamptz),
  until: nullable(timestamptz),
  afterAt: nullable(typed<string>(bigint)),
  afterId: nullable(uuid),
}
type EdgeParameters = Values<typeof rangeParameters> & Partial<Record<FieldName, unknown>>
type PageParameters = EdgeParameters & { limit: number }

/**
 * Rows are compared and ordered by the leading column together with the time, so that no other index can provide
 * the order, even while there are few records. The separate bounds on the time determine which partitions are read.
 */
const leadingQuery = (leading: Leading, columns: string, tail: string): string => {
  const first = leading === 'time' ? null : FIELDS[leading]
  const key = (before: string, ...rest: string[]) => [...(first ? [before] : []), ...rest].join(', ')
  const value = first ? `:${leading}::${first.type.name}` : ''
  const rowKey = key(`c.${first?.column}`, 'c.started_at', 'c.id')
  const beforeId = `case when ${UNTIL} <= ${AFTER} then '${NIL_UUID}' else coalesce(:afterId::uuid, '${LAST_ID}') end`
  return `
  select ${columns} from tool_calls c
  where c.organization_id = :organizationId and c.mode = :mode and ${NOT_EXPIRED}
    and c.started_at >= ${SINCE} and c.started_at <= least(${AFTER}, ${UNTIL})
    and (${rowKey}) >= (${key(value, SINCE, `'${NIL_UUID}'`)})
    and (${rowKey}) < (${key(value, `least(${AFTER}, ${UNTIL})`, beforeId)})${PARTIAL[leading] ?? ''}
  ${newestFirst(leading)} ${tail}`
}

const newestFirst = (leading: Leading): string =>
  `order by ${leading === 'time' ? '' : `c.${FIELDS[leading].column} desc, `}c.started_at desc, c.id desc`

/** Repeats the condition of a partial index, so that the planner can use it. */
const PARTIAL: Partial<Record<Leading, string>> = {
  outcome: ` and c.outcome <> 'success'`,
  trace: ' and c.trace_id is not null',
}

const fieldsExcept = (leading: Leading): FieldName[] => NAMES.filter(name => name !== leading)

const typesOf = (names: readonly FieldName[]): Record<string, AnySqlType> =>
  Object.fromEntries(names.map(name => [name, FIELDS[name].type]))

const pageBy = (leading: Leading, maxScanned: number): ListStatement<PageParameters, CallRecord> => {
  const conditions = fieldsExcept(leading).map(name => {
    const { type, condition } = FIELDS[name]
    return `(:${name}::${type.name} is null or ${condition(`:${name}`)})`
  })
  return listStatement({
    name: `tool_calls.page_by_${leading}_${maxScanned}`,
    parameters: { ...rangeParameters, ...typesOf(NAMES), limit: bigint },
    columns: recordColumns,
    sql: `select *, ${AT} from (${leadingQuery(leading, COLUMNS, `limit ${maxScanned}`)}) c where ${conditions.join(' and ')}
     ${newestFirst(leading)} limit :limit`,
  })
}

/** The position of the last row that a page has examined. */
const edgeBy = (leading: Leading, maxScanned: number): ListStatement<EdgeParameters, TimePosition> =>
  listStatement({
    name: `tool_calls.edge_by_${leading}_${maxScanned}`,
    parameters: { ...rangeParameters, ...typesOf(leading === 'time' ? [] : [leading]) },
    columns: { at: text, id: uuid },
    sql: `select ${AT}, id from (${leadingQuery(leading, 'c.started_at, c.id', `offset ${maxScanned - 1} limit 1`)}) c`,
  })

type Statements = {
  page: ListStatement<PageParameters, CallRecord>
  bounded: ListStatement<PageParameters, CallRecord>
  edge: ListStatement<EdgeParameters, TimePosition>
}
const statementsFor = (maxScanned: number) =>
  Object.fromEntries(
    [...LEADING, 'time' as const].map(leading => [
      leading,
      {
        page: pageBy(leading, MAX_PAGE + 1),
        bounded: pageBy(leading, maxScanned),
        edge: edgeBy(leading, maxScanned),
      },
    ]),
  ) as Record<Leading, Statements>

const leadingOf = (filter: RecordFilter): Leading =>
  LEADING.find(
    name => FIELDS[name].of(filter) !== null && (name !== 'outcome' || filter.outcome !== 'success'),
  ) ?? 'time'

export type RecordPage = { rows: CallRecord[]; next: TimePosition | null }

/** `maxScanned`: smaller in tests, which would otherwise need as many records. */
export const createPageReader = (maxScanned = MAX_SCANNED) => {
  const statements = statementsFor(maxScanned)
  /** Newest first. May return fewer than `limit` rows, even none, although more exist. */
  return (
    lists: ReadDatabase,
    { organizationId, mode }: Owner,
    filter: RecordFilter,
    after: TimePosition | null,
    limit: number,
  ): Promise<RecordPage> => {
    const leading = leadingOf(filter)
    const { page, bounded, edge } = statements[leading]
    const isBounded = fieldsExcept(leading).some(name => FIELDS[name].of(filter) !== null)
    const values: PageParameters = {
      organizationId,
      mode,
      since: filter.since,
      until: filter.until,
      afterAt: after?.at ?? null,
      afterId: after?.id ?? null,
      ...Object.fromEntries(NAMES.map(name => [name, FIELDS[name].of(filter)])),
      limit: limit + 1,
    }
    return lists.readWith(FORCE_INDEX_ORDER, async reads => {
      const found = await reads.read(isBounded ? bounded : page, values)
      const rows = found.slice(0, limit)
      const last = rows.at(-1)
      if (found.length > limit && last) return { rows, next: { at: last.at, id: last.id } }
      return { rows, next: isBounded ? ((await reads.read(edge, values))[0] ?? null) : null }
    })
  }
}

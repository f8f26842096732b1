import { columnName } from '../../../platform/database/statement.ts'
import type { CallLimit } from '../../metering/limits/call-limit.ts'
import { CALL_LIMITS } from '../../metering/limits/call-limits.ts'

const columnsOf = <Column>(columns: Record<string, Column>, sqlOf: (column: Column) => string): string[] =>
  Object.entries(columns).map(([name, column]) => `${sqlOf(column)} as ${columnName(name)}`)
const resultsAs = (sqlOf: (result: CallLimit['results'][string]) => string): string =>
  CALL_LIMITS.flatMap(({ results }) => columnsOf(results, sqlOf)).join(',\n     ')

/** The parts of all limits, for the statements of the admission. */
export const limitSql = {
  columns: CALL_LIMITS.flatMap(({ columns }) => columnsOf(columns, ({ sql }) => sql)).join(',\n       '),
  joins: CALL_LIMITS.flatMap(({ joins = [] }) => joins).join('\n     '),
  explained: CALL_LIMITS.flatMap(({ explained = [] }) => explained).join(', '),
  applies: `(${CALL_LIMITS.map(({ applies }) => applies).join(' or ')})`,
  reserve: CALL_LIMITS.map(({ reserve }) => reserve).join(', '),
  reserved: Object.assign({}, ...CALL_LIMITS.map(({ reserved }) => reserved)) as Record<string, string>,
  results: resultsAs(({ reserved }) => reserved),
  foreseen: resultsAs(({ foreseen }) => foreseen),
  /** Instead of `results`, for calls without a limit. */
  withoutLimit: resultsAs(({ type }) => `null::${type.name}`),
}

/** CTEs that release the reservations of the `ended` calls that do not count. */
export const releaseReservations = (isCounted: string): string =>
  CALL_LIMITS.flatMap(({ counter = [] }) => counter)
    .map(({ table, keys }) => {
      const held = ['organization_id', ...Object.values(keys)].join(', ')
      const matches = Object.entries(keys).map(([key, column]) => `s.${key} = e.${column}`)
      return `released_${table} as (
     update ${table} s set taken = s.taken - e.calls
     from (select ${held}, count(*) as calls from ended where not (${isCounted}) group by ${held}) e
     where s.organization_id = e.organization_id and ${matches.join(' and ')}
   )`
    })
    .join(', ')

/** CTEs that count a call whose reservation was lost. */
export const recountCall: string = CALL_LIMITS.flatMap(({ recount = [] }) => recount)
  .map((sql, index) => `recounted_${index} as (${sql})`)
  .join(', ')

import type { AnySqlType } from '../../../platform/database/sql-types.ts'

/**
 * A limit of calls, as parts of the statements that admit, explain and settle a call. `found` is the row of the call in the admission, made
 * from the organization `o`, the user `u` and the Tool Pack `p`.
 */
export type CallLimit = {
  /** Columns of `found`, and the joins that they need. */
  columns: Record<string, { type: AnySqlType; sql: string }>
  joins?: string
  /** Whether the limit applies to a row of `found`. Such a call is not admitted in a batch. */
  applies: string
  /** CTEs that reserve the call, which the admission adds after `found`. */
  reserve: string
  /** What `calls_in_flight` keeps of the reservation. */
  reserved?: Record<string, string>
  /** Columns of the admission's result. `reserved`: after the reservation. `foreseen`: without one, for Explain. */
  results: Record<string, { type: AnySqlType; reserved: string; foreseen: string }>
  /** Further columns of `found` that only Explain reads. */
  explained?: string
  /** The row with the column `taken` that the reservation has increased: a column of the table for each of `calls_in_flight`. */
  counter?: { table: string; keys: Record<string, string> }
  /** Counts a call whose reservation was lost: a CTE over the record `r`. */
  recount?: string
}

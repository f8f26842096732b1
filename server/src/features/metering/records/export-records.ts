import type { ToolCallRecord } from '@carabiner/contract'
import type { TimePosition } from '../../../core/time-cursor.ts'
import type { ReadDatabase } from '../../../platform/database/read-database.ts'
import type { Owner } from './call-record.ts'
import type { RecordFilter } from './record-filter.ts'
import { recordStore } from './record-store.ts'
import { toRecord } from './to-record.ts'

export type ExportFormat = 'jsonl' | 'csv'
type Writer = {
  type: string
  head: string
  row: (record: ToolCallRecord) => string
  /** The last line of an incomplete export; the lines before it are valid. */
  broken: (error: ExportError) => string
}
type ExportError = { code: string; message: string; request_id: string }

const PAGE = 1000

/**
 * Reads a page only after the client has consumed the previous one, so that at most one page is in memory. It does not use
 * a transaction, because a slow client would block vacuuming.
 */
export async function* exportRecords(
  lists: ReadDatabase,
  owner: Owner,
  filter: RecordFilter,
  { format, onError }: { format: ExportFormat; onError: (error: unknown) => ExportError },
): AsyncGenerator<string> {
  const { head, row, broken } = EXPORT_FORMATS[format]
  if (head) yield head
  let after: TimePosition | null = null
  try {
    do {
      const page = await recordStore.page(lists, owner, filter, after, PAGE)
      if (page.rows.length > 0) yield page.rows.map(each => row(toRecord(each))).join('')
      after = page.next
    } while (after)
  } catch (error) {
    yield broken(onError(error))
  }
}

const FIELDS = [
  'id',
  'started_at',
  'finished_at',
  'registered_user_id',
  'tool_pack_id',
  'mode',
  'connector',
  'tool',
  'credential_id',
  'account_label',
  'outcome',
  'error_code',
  'ended_at_step',
  'counted',
  'request_id',
  'trace_id',
  'gateway_ms',
  'rules_ms',
  'third_party_ms',
  'arguments_bytes',
  'result_bytes',
  'view_bytes',
  'headers',
  'matches',
] as const satisfies (keyof ToolCallRecord)[]

/** RFC 4180. Cells that a spreadsheet would interpret as formulas are escaped, because tool names come from external servers. */
export const csvCell = (value: unknown): string => {
  if (value === null || value === undefined) return ''
  if (typeof value === 'number') return String(value)
  const text = typeof value === 'string' ? value : JSON.stringify(value)
  const escaped = /^[\s]*[=+\-@\t\r＝＋－＠]/.test(text) ? `'${text}` : text
  return /[",\r\n;']/.test(escaped) ? `"${escaped.replaceAll('"', '""')}"` : escaped
}

const csvRow = (cells: unknown[]): string => `${cells.map(csvCell).join(',')}\r\n`

export const EXPORT_FORMATS: Record<ExportFormat, Writer> = {
  jsonl: {
    type: 'application/x-ndjson; charset=utf-8',
    head: '',
    row: record => `${JSON.stringify(record)}\n`,
    broken: error => `${JSON.stringify({ error })}\n`,
  },
  csv: {
    type: 'text/csv; charset=utf-8; header=present',
    head: csvRow([...FIELDS]),
    row: record => csvRow(FIELDS.map(field => record[field])),
    broken: ({ code, message, request_id }) => csvRow(['error', code, message, request_id]),
  },
}

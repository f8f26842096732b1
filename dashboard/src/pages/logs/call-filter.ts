import type { ToolCallFilter } from '@carabiner/sdk'
import { limitsOf } from '../../ui/lists/date-range.tsx'
import type { CallRow } from './call-row.ts'
import type { CallSearch } from './logs-search.ts'

export const OUTCOMES = [
  { value: '', label: 'Any' },
  { value: 'success', label: 'Success' },
  { value: 'needs_auth', label: 'Needs auth' },
  { value: 'approval_required', label: 'Needs approval' },
  { value: 'error', label: 'Error' },
  { value: 'blocked', label: 'Blocked' },
  { value: 'limited', label: 'Limited' },
  { value: 'replayed', label: 'Replayed' },
  { value: 'unknown', label: 'Unknown' },
  { value: 'withheld', label: 'Withheld' },
] as const

const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i

/** The filter of the API. Values that the API would reject match nothing anyway, and are left to it. */
export const filterOf = (search: CallSearch, now: number): ToolCallFilter => {
  const outcome = OUTCOMES.find(({ value }) => value !== '' && value === search.outcome)?.value
  return {
    ...limitsOf({ ...search, range: search.range ?? '24h' }, now),
    ...(outcome && { outcome }),
    ...(search.connector && { connector: search.connector }),
    ...(search.tool && { tool: search.tool }),
    ...(search.user && { registered_user_id: search.user }),
    ...(search.pack && { tool_pack_id: search.pack }),
    ...(search.account && { account_label: search.account }),
    ...(search.error && { error_code: search.error }),
    ...(search.request && { request_id: search.request }),
    ...(search.trace && { trace_id: search.trace }),
  }
}

/** The same filter for calls of the live tail, which arrive without a query. */
export const matchesFilter = (filter: ToolCallFilter, call: CallRow): boolean => {
  const { tool } = filter
  return (
    (filter.outcome === undefined || filter.outcome === call.outcome) &&
    (filter.connector === undefined || filter.connector === call.connector) &&
    (tool === undefined || tool === call.tool || tool === `${call.connector}__${call.tool}`) &&
    (filter.registered_user_id === undefined || filter.registered_user_id === call.userId) &&
    (filter.tool_pack_id === undefined || filter.tool_pack_id === call.packId) &&
    (filter.account_label === undefined || isSameLabel(filter.account_label, call.account)) &&
    (filter.error_code === undefined || filter.error_code === call.errorCode) &&
    (filter.request_id === undefined || filter.request_id === call.requestId) &&
    (filter.trace_id === undefined || filter.trace_id === call.traceId)
  )
}

const isSameLabel = (a: string, b: string | null): boolean => a.toLowerCase() === b?.toLowerCase()

/** What a pasted text identifies, if it has the form of an ID. */
export const recognizeId = (
  text: string,
): { filter: 'request' | 'trace' | 'user'; label: string } | undefined => {
  if (text.startsWith('req_')) return { filter: 'request', label: 'Request ID' }
  if (/^[0-9a-f]{32}$/i.test(text)) return { filter: 'trace', label: 'Trace ID' }
  return UUID.test(text) ? { filter: 'user', label: 'User ID' } : undefined
}

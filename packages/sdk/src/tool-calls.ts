import type {
  AffectedUsers,
  ResultFields,
  ToolCallDetail,
  ToolCallFilter,
  ToolCallRecord,
  ToolCallSummary,
  Usage,
  UsageCycle,
  ViewTried,
} from './api-types.ts'
import { createPages, type Page, type PageOptions } from './pages.ts'
import { path } from './path.ts'
import type { CallOptions, Send } from './send.ts'

/** ISO 8601. Default: the last 24 hours. */
export type SummaryOptions = { since?: string; until?: string }
/** Identifies an entry of `errors` in a summary. */
export type AffectedUsersFilter = SummaryOptions & {
  outcome: 'error' | 'needs_auth' | 'blocked' | 'limited' | 'unknown'
  error_code?: string
  connector?: string
}

export type UsageOptions = {
  /** First day to include (UTC). */
  since?: string
  /** Day after the last day to include (UTC). */
  until?: string
  /** Comma-separated list of `day`, `user`, `connector` and `tool`. */
  group_by?: string
}

/** Records of tool calls, in the mode (production or test) of the client's key. */
export const toolCalls = (send: Send) => ({
  /** Newest first. Pages are fetched as you iterate. */
  list: (filter: ToolCallFilter & PageOptions = {}, options?: CallOptions) =>
    createPages(cursor =>
      send<Page<ToolCallRecord>>('GET', '/tool-calls', options, { query: { ...filter, cursor } }),
    ),
  /** Includes arguments and result if the organization captures them. */
  get: (id: string, options?: CallOptions) => send<ToolCallDetail>('GET', path`/tool-calls/${id}`, options),
  /** Calls over time, by error, and with latencies. Covers a bounded number of the latest calls: see `covered_since`. */
  summary: ({ since, until }: SummaryOptions = {}, options?: CallOptions) =>
    send<ToolCallSummary>('GET', '/tool-calls/summary', options, { query: { since, until } }),
  /** The users of a group of failed calls. */
  affectedUsers: (filter: AffectedUsersFilter, options?: CallOptions) =>
    send<AffectedUsers>('GET', '/tool-calls/affected-users', options, { query: { ...filter } }),
  /** The fields in recorded results of a tool, such as `github__list_issues`, largest first. */
  resultFields: (tool: string, options?: CallOptions) =>
    send<ResultFields>('GET', '/tool-calls/result-fields', options, { query: { tool } }),
  /** Applies a view to the recorded result of a call, and compares the sizes. */
  tryView: (id: string, view: string[], options?: CallOptions) =>
    send<ViewTried>('POST', path`/tool-calls/${id}/view`, options, { body: { view }, once: true }),
  /** Returns all records as one string. For exports that do not fit in memory, request the URL yourself and stream the response. */
  export: (filter: ToolCallFilter & { format?: 'jsonl' | 'csv' } = {}, options?: CallOptions) =>
    send<string>('GET', '/tool-calls/export', options, { query: { ...filter }, asText: true }),
})

export const usage = (send: Send) => ({
  get: ({ since, until, group_by }: UsageOptions = {}, options?: CallOptions) =>
    send<Usage>('GET', '/usage', options, { query: { since, until, group_by } }),
  /** Used and remaining calls of the current billing cycle. */
  cycle: (options?: CallOptions) => send<UsageCycle>('GET', '/usage/cycle', options),
})

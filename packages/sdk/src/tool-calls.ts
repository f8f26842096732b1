import type { ToolCallDetail, ToolCallFilter, ToolCallRecord, Usage, UsageCycle } from './api-types.ts'
import { createPages, type Page, type PageOptions } from './pages.ts'
import { path } from './path.ts'
import type { CallOptions, Send } from './send.ts'

export type UsageOptions = {
  /** The first day, UTC. */
  since?: string
  /** The day after the last. */
  until?: string
  /** Of `day`, `user`, `connector` and `tool`, separated by commas. */
  group_by?: string
}

/** What agents did: of the production key, or of test keys, as the client's own is. */
export const toolCalls = (send: Send) => ({
  /** Newest first, page by page as you read on. */
  list: (filter: ToolCallFilter & PageOptions = {}, options?: CallOptions) =>
    createPages(cursor =>
      send<Page<ToolCallRecord>>('GET', '/tool-calls', options, { query: { ...filter, cursor } }),
    ),
  /** With its arguments and result, where the organization keeps them. */
  get: (id: string, options?: CallOptions) => send<ToolCallDetail>('GET', path`/tool-calls/${id}`, options),
  /** All of them as one text. For more than fits in memory, ask the address itself and read its stream. */
  export: (filter: ToolCallFilter & { format?: 'jsonl' | 'csv' } = {}, options?: CallOptions) =>
    send<string>('GET', '/tool-calls/export', options, { query: { ...filter }, asText: true }),
})

export const usage = (send: Send) => ({
  get: ({ since, until, group_by }: UsageOptions = {}, options?: CallOptions) =>
    send<Usage>('GET', '/usage', options, { query: { since, until, group_by } }),
  /** What the billing cycle of now has used, and has left. */
  cycle: (options?: CallOptions) => send<UsageCycle>('GET', '/usage/cycle', options),
})

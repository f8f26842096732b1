import type { ToolCallRecord, ToolCallSummary } from '@carabiner/sdk'
import type { ApiQuery } from '../../api/use-api-query.ts'

export type ErrorGroup = ToolCallSummary['errors'][number]

const DAY_MS = 86_400_000

/** The calls of the last 24 hours. */
export const SUMMARY: ApiQuery<ToolCallSummary> = {
  key: ['tool-calls', 'summary'],
  load: (api, options) => api.toolCalls.summary({}, options),
}

/** The 24 hours before, for comparison. */
export const PREVIOUS: ApiQuery<ToolCallSummary> = {
  key: ['tool-calls', 'summary', 'previous'],
  load: (api, options) => {
    const now = Date.now()
    const [since, until] = [now - 2 * DAY_MS, now - DAY_MS].map(time => new Date(time).toISOString())
    return api.toolCalls.summary({ since, until }, options)
  },
}

const SHOWN_CALLS = 6
export const RECENT: ApiQuery<readonly ToolCallRecord[]> = {
  key: ['tool-calls', 'recent'],
  load: async (api, options) => (await api.toolCalls.list({ limit: SHOWN_CALLS }, options).page()).data,
}

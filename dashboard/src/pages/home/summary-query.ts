import type { ToolCallSummary } from '@carabiner/sdk'
import type { ApiQuery } from '../../api/use-api-query.ts'

/** The calls of the last 24 hours. */
export const SUMMARY: ApiQuery<ToolCallSummary> = {
  key: ['tool-calls', 'summary'],
  load: (api, options) => api.toolCalls.summary({}, options),
}

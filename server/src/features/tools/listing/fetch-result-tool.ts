import type { ListedTool } from './listed-tool.ts'

export const FETCH_RESULT = 'fetch_result'

/** Listed only in a Tool Pack with `result_handles`. The name contains no `__`, so it cannot collide with a connector's tool. */
export const fetchResultTool: ListedTool = {
  name: FETCH_RESULT,
  title: 'Read more of a large result',
  description:
    'Reads more of a result that was truncated because of its size. Takes the handle from the notice and an offset; returns text, and next_offset if there is more. Results are stored for one hour.',
  inputSchema: {
    type: 'object',
    properties: {
      handle: { type: 'string', description: 'From the notice in the truncated result.' },
      offset: { type: 'integer', minimum: 0, description: 'First character to return. Default: 0.' },
      limit: { type: 'integer', minimum: 1, description: 'Maximum number of characters.' },
    },
    required: ['handle'],
    additionalProperties: false,
  },
  annotations: { title: 'Read more of a large result', readOnlyHint: true },
}

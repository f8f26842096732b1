import type { ListedTool } from './listed-tool.ts'

export const FETCH_RESULT = 'fetch_result'

/** Listed only in a Tool Pack with `result_handles`. Its name holds no `__`, so that no connector's tool has it. */
export const fetchResultTool: ListedTool = {
  name: FETCH_RESULT,
  title: 'Read on in a large result',
  description:
    'Reads on in a result that was cut because of its size. Takes the handle that the notice names, and from where to read; answers with text, and with next_offset where there is more. Results are kept for one hour.',
  inputSchema: {
    type: 'object',
    properties: {
      handle: { type: 'string', description: 'From the notice in the result that was cut.' },
      offset: { type: 'integer', minimum: 0, description: 'The character to begin at; 0 unless told.' },
      limit: { type: 'integer', minimum: 1, description: 'How many characters at most.' },
    },
    required: ['handle'],
    additionalProperties: false,
  },
  annotations: { title: 'Read on in a large result', readOnlyHint: true },
}

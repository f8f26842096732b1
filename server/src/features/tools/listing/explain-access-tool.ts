import type { ListedTool } from './listed-tool.ts'

export const EXPLAIN_ACCESS = 'explain_access'

/** Listed only in a Tool Pack with `explain_access`. The name contains no `__`, so it cannot collide with a connector's tool. */
export const explainAccessTool: ListedTool = {
  name: EXPLAIN_ACCESS,
  title: 'Explain why a tool does not work',
  description:
    'Checks whether a tool would work for the current user, and returns what prevents it from working and how to fix it. It does not call the tool.',
  inputSchema: {
    type: 'object',
    properties: {
      tool: { type: 'string', description: 'Name of the tool, as in the list of tools.' },
    },
    required: ['tool'],
    additionalProperties: false,
  },
  annotations: { title: 'Explain why a tool does not work', readOnlyHint: true, openWorldHint: false },
}

import { ExplainRequest, Explanation } from '../explain-resources.ts'
import { declareOperations } from './operation.ts'

export const explainOperations = declareOperations('Explain', {
  explainCall: {
    route: 'POST /explain',
    group: 'read',
    client: 'explain',
    summary: 'Explain a tool call',
    description:
      'Runs every check of a tool call for a Registered User, a tool and a Tool Pack, without making the call. Names the first check that fails, and its fix. Changes nothing: no record, no count, no provider call. An unknown user, pack or tool is a failed step and not an error.',
    body: ExplainRequest,
    responses: { 200: Explanation },
    errors: ['check_capacity_exceeded'],
    permission: 'read',
    audit: false,
    idempotency: false,
    tool: { name: 'explain_tool_call', access: 'read' },
  },
})

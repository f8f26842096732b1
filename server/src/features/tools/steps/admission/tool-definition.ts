import { Refusal } from '../../../../core/refusal.ts'
import { fixBy, type ToolStep } from './admission-step.ts'

/** The definition of a server's tool was accepted. Calls use the accepted one until a change is reviewed. */
export const toolDefinitionStep: ToolStep = {
  name: 'tool_definition',
  decide: ({ ownToolOffered, preview }) =>
    ownToolOffered !== null || preview.toolKnown ? null : new Refusal('tool_not_found', { param: 'name' }),
  explain: ({ ownToolOffered, addressed, preview }, refusal) => {
    if (ownToolOffered !== null) return { summary: 'The definition is built in.' }
    if (addressed.kind === 'http') return { summary: 'The definition is part of the catalog.' }
    if (preview.review === null)
      return { summary: 'The definition is accepted.', detail: { review_pending: false } }
    const detail = { review_pending: true }
    if (!refusal)
      return {
        summary: `The server ${preview.review === 'removed' ? 'no longer lists the tool' : 'has changed the definition'}. Until the change is reviewed, calls use the accepted definition.`,
        detail,
      }
    return {
      summary: 'The tool is new on the server, and its definition has not been accepted yet.',
      detail,
      fix: fixBy('review_tools', 'Review and accept the Connector’s changed tools.', {
        method: 'GET',
        path: `/api/v1/connectors/${addressed.slug}/tools`,
      }),
    }
  },
}

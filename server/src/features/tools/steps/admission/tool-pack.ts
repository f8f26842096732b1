import { Refusal } from '../../../../core/refusal.ts'
import { type CallerStep, fixBy } from './admission-step.ts'

/** The Tool Pack exists, and the key may use it. */
export const toolPackStep: CallerStep = {
  name: 'tool_pack',
  decide: ({ packId }) => (packId === null ? new Refusal('tool_pack_not_found') : null),
  explain: ({ target }, refusal) =>
    refusal
      ? {
          summary: 'The organization has no such Tool Pack.',
          fix: fixBy('check_tool_pack', 'Check the ID of the Tool Pack.', {
            method: 'GET',
            path: '/api/v1/tool-packs',
          }),
        }
      : { summary: `The Tool Pack “${target.packName}” exists.` },
}

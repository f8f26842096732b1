import { fixBy, notChecked } from '../admission/admission-step.ts'
import { requireFittingChoice } from './argument-check.ts'
import { type CallStep, refusalIn } from './call-step.ts'

/** The arguments match the input schema, and the pack's settings fit the tool. */
export const argumentsStep: CallStep = {
  name: 'arguments',
  phase: 'argument_rules',
  decide: async ({ checkArguments }, { admission, callable, args }) => {
    if (args) await checkArguments(admission.organizationId, callable, args)
    else requireFittingChoice(callable)
    return null
  },
  explain: ({ args }, obstacle) => {
    const refusal = refusalIn(obstacle)
    if (!refusal)
      return args
        ? { summary: 'The arguments match the input schema.' }
        : notChecked('No arguments were given.')
    return {
      summary: refusal.message,
      ...(refusal.param !== undefined && { detail: { param: refusal.param } }),
      fix:
        refusal.code === 'tool_not_found'
          ? fixBy('update_tool_pack', 'Save the Tool Pack with settings that fit the tool.')
          : fixBy('change_arguments', 'Change the arguments of the call.'),
    }
  },
}

import { Refusal } from '../../../../core/refusal.ts'
import { type CallerStep, fixBy } from './admission-step.ts'

/** The user has the mode of the key. */
export const modeStep: CallerStep = {
  name: 'mode',
  decide: ({ userInMode = true }) => (userInMode ? null : new Refusal('registered_user_not_found')),
  explain: ({ who, target, preview }, refusal) => {
    const mode = target.userMode ?? preview.mode
    const detail = { mode }
    if (!refusal) return { summary: `${who} is a ${mode} user, as the key requires.`, detail }
    return {
      summary: `${who} is a ${mode} user, and the key is not a ${mode} key.`,
      detail,
      fix: fixBy('use_key', `Use a ${mode} key, or a user of the key’s mode.`),
    }
  },
}

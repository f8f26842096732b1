import { Refusal } from '../../../../core/refusal.ts'
import { type CallerStep, fixBy } from './admission-step.ts'

/** The Registered User exists. */
export const userStep: CallerStep = {
  name: 'user',
  decide: ({ userId }) => (userId === null ? new Refusal('registered_user_not_found') : null),
  explain: ({ who }, refusal) =>
    refusal
      ? {
          summary: 'The key’s mode has no such Registered User.',
          fix: fixBy('check_user', 'Check the ID, and use a production key for a production user.'),
        }
      : { summary: `${who} is a Registered User of this organization.` },
}

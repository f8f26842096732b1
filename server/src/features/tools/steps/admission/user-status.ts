import { Refusal } from '../../../../core/refusal.ts'
import { type CallerStep, fixBy } from './admission-step.ts'

/** The user is active. */
export const userStatusStep: CallerStep = {
  name: 'user_status',
  decide: ({ userActive }) => (userActive ? null : new Refusal('user_inactive')),
  explain: ({ who, target }, refusal) =>
    refusal
      ? {
          summary: `${who} is deactivated.`,
          fix: fixBy('activate_user', 'Activate the user. Their accounts must then be reconnected.', {
            method: 'PATCH',
            path: `/api/v1/registered-users/${target.userId}`,
            body: { is_active: true },
          }),
        }
      : { summary: `${who} is active.` },
}

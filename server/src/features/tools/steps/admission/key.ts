import { isServed } from '../../../../core/organization-state.ts'
import { Refusal } from '../../../../core/refusal.ts'
import type { CallerStep } from './admission-step.ts'

/** The key is valid, and its organization is active. */
export const keyStep: CallerStep = {
  name: 'key',
  decide: ({ organizationId, organizationState }) =>
    organizationId === null || !isServed(organizationState)
      ? new Refusal('invalid_api_key', { param: 'Authorization' })
      : null,
  explain: (_, refusal) => ({
    summary: refusal ? 'The organization is not active in this installation.' : 'The key is valid.',
  }),
}

import { Refusal } from './refusal.ts'

/**
 * Whether an installation serves an organization. `arriving` and `leaving`: it is being moved between installations. `moved`: another
 * installation serves it. `suspended`: the operator has stopped it until it is activated again. `deleting`: its rows are being deleted.
 */
export type OrganizationState = 'active' | 'suspended' | 'arriving' | 'leaving' | 'moved' | 'deleting'

export const MOVE_RETRY_SECONDS = 5

export const isMoving = (state: OrganizationState): boolean => state === 'arriving' || state === 'leaving'

/** False if the organization is being deleted and must look as if it did not exist. Throws if it is suspended, served elsewhere or being moved. */
export const isServed = (state: OrganizationState): boolean => {
  switch (state) {
    case 'active':
      return true
    case 'deleting':
      return false
    case 'arriving':
    case 'leaving':
      throw new Refusal('organization_moving', { retryable: true, retryAfterSeconds: MOVE_RETRY_SECONDS })
    case 'moved':
      throw new Refusal('wrong_cell')
    case 'suspended':
      throw new Refusal('organization_suspended')
  }
}

/** For pages that show a suspended organization as such. */
export const isServedOrSuspended = (state: OrganizationState): boolean =>
  state === 'suspended' || isServed(state)

/** Whether a page may show its organization: while it is being moved or suspended, the page says so under the organization's name. */
export const mayShowState = (state: OrganizationState): boolean =>
  isMoving(state) || isServedOrSuspended(state)

/**
 * Called when no secret with this routing code was found. Throws if the organization of the code is served by another installation or is
 * being moved; returns if the secret is simply unknown. `code`: null for a malformed secret.
 */
export type CheckRoutingCode = (code: string | null) => Promise<void>

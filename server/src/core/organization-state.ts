import { Refusal } from './refusal.ts'

/**
 * Whether an installation serves an organization. `arriving` and `leaving`: it is being moved between installations. `moved`: another
 * installation serves it. `deleting`: its rows are being deleted.
 */
export type OrganizationState = 'active' | 'arriving' | 'leaving' | 'moved' | 'deleting'

export const MOVE_RETRY_SECONDS = 5

export const isMoving = (state: OrganizationState): boolean => state === 'arriving' || state === 'leaving'

/** False if the organization is being deleted and must look as if it did not exist. Throws if it is served elsewhere or being moved. */
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
  }
}

/**
 * Called when no secret with this routing code was found. Throws if the organization of the code is served by another installation or is
 * being moved; returns if the secret is simply unknown. `code`: null for a malformed secret.
 */
export type CheckRoutingCode = (code: string | null) => Promise<void>

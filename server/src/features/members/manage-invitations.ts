import { Refusal } from '../../core/refusal.ts'
import type { Database, Queryable } from '../../platform/database/database.ts'
import { memberSignInLinkStore } from './member-sign-in-link-store.ts'
import { memberStore } from './member-store.ts'
import { personStore } from './person-store.ts'

export const findInvitation = async (db: Queryable, personId: string, organizationId: string) => {
  const found = (await memberStore.invitationsOf(db, personId)).find(({ id }) => id === organizationId)
  if (!found) throw new Refusal('invitation_not_found')
  return found
}

/**
 * Membership starts here. The address must be verified: an administrator of another organization who has used a link of the person
 * would otherwise get access too. Links that were created before are deleted for the same reason.
 */
export const acceptInvitation = (db: Database, personId: string, organizationId: string): Promise<void> =>
  db.transaction(async tx => {
    if (!(await personStore.lockVerified(tx, personId))) throw new Refusal('address_not_verified')
    if (!(await memberStore.accept(tx, organizationId, personId))) throw new Refusal('invitation_not_found')
    await memberSignInLinkStore.deleteUnused(tx, personId)
  })

export const declineInvitation = async (
  db: Database,
  personId: string,
  organizationId: string,
): Promise<void> => {
  if (!(await memberStore.decline(db, organizationId, personId))) throw new Refusal('invitation_not_found')
}

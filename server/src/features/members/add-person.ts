import type { Role } from '@carabiner/contract/permissions'
import { newUuid } from '../../core/uuid.ts'
import type { Database } from '../../platform/database/database.ts'
import { claimAddress } from './claim-address.ts'
import { createSignInLink, type MemberSignInLink } from './member-sign-in-links.ts'
import { memberStore } from './member-store.ts'
import { personStore } from './person-store.ts'

export type NewPerson = {
  email: string
  /** Default: the part of the email address before the @. */
  name?: string | undefined
  isOperator?: boolean
  membership?: { organizationId: string; role: Role } | undefined
}

export const normalizeEmail = (email: string): string => email.trim().toLowerCase()
export const nameFromEmail = (email: string): string => email.split('@')[0] as string

/**
 * For the operator of the installation, who vouches for the address: finds or creates a person, adds the role, and returns a link that
 * signs the person in once.
 */
export const addPerson = async (
  { db, baseUrl }: { db: Database; baseUrl: string },
  { email, name, isOperator = false, membership }: NewPerson,
): Promise<{ personId: string; link: MemberSignInLink }> => {
  const normalized = normalizeEmail(email)
  return db.transaction(async tx => {
    const person = await personStore.ensure(tx, {
      id: newUuid(),
      email: normalized,
      name: name ?? nameFromEmail(normalized),
    })
    await claimAddress(tx, person.id)
    if (isOperator) await personStore.makeOperator(tx, person.id)
    if (membership) {
      const { organizationId, role } = membership
      await memberStore.insert(tx, { organizationId, personId: person.id, role, name: name ?? '' })
      await memberStore.setRole(tx, organizationId, person.id, role)
      await memberStore.accept(tx, organizationId, person.id)
    }
    const link = await createSignInLink(tx, { personId: person.id, issuer: null, baseUrl })
    return { personId: person.id, link }
  })
}

import type { Role } from '@carabiner/contract/permissions'
import { Refusal } from '../../core/refusal.ts'
import { isUuid, newUuid } from '../../core/uuid.ts'
import type { Database, Queryable } from '../../platform/database/database.ts'
import { nameFromEmail, normalizeEmail } from './add-person.ts'
import { memberSignInLinkStore } from './member-sign-in-link-store.ts'
import {
  createSignInLink,
  type LinkIssuer,
  type MemberSignInLink,
  markLinkMailed,
} from './member-sign-in-links.ts'
import { memberStore, type StoredMember } from './member-store.ts'
import { personStore } from './person-store.ts'
import type { SendInvitation } from './send-invitation.ts'

type Deps = { db: Database; baseUrl: string; sendInvitation: SendInvitation }

export type Invited = {
  member: StoredMember
  link: MemberSignInLink
  isMailed: boolean
}

/**
 * The answer is the same whether or not the address has an account, so that it discloses nothing about people of other
 * organizations. Whether the link may sign the person in is decided when it is used; people who have an account sign in as usual
 * and accept.
 */
export const inviteMember = async (
  deps: Deps,
  issuer: LinkIssuer,
  { email, name, role }: { email: string; name?: string | undefined; role: Role },
): Promise<Invited> => {
  const { organizationId } = issuer
  const normalized = normalizeEmail(email)
  const invitedName = name?.trim() || nameFromEmail(normalized)
  const { member, link } = await deps.db.transaction(async tx => {
    const person = await personStore.ensure(tx, {
      id: newUuid(),
      email: normalized,
      name: invitedName,
    })
    if (!(await memberStore.insert(tx, { organizationId, personId: person.id, role, name: invitedName })))
      throw new Refusal('already_a_member', { param: 'email' })
    return {
      member: await findMember(tx, organizationId, person.id),
      link: await createSignInLink(tx, {
        personId: person.id,
        issuer,
        baseUrl: deps.baseUrl,
      }),
    }
  })
  return { member, link, isMailed: await mailInvitation(deps, member, link) }
}

const mailInvitation = async (
  { db, sendInvitation }: Deps,
  member: StoredMember,
  link: MemberSignInLink,
): Promise<boolean> => {
  const isMailed = await sendInvitation(member, link)
  if (isMailed) await markLinkMailed(db, link)
  return isMailed
}

/** A new link for a member who has lost the password or the invitation. */
export const renewSignInLink = async (deps: Deps, issuer: LinkIssuer, personId: string): Promise<Invited> => {
  const { organizationId } = issuer
  const { member, link } = await deps.db.transaction(async tx => {
    const found = await findMember(tx, organizationId, personId)
    if (found.hasAccepted && !(await memberSignInLinkStore.isAllowed(tx, organizationId, found.personId)))
      throw new Refusal('member_sign_in_link_not_allowed')
    const target = { personId: found.personId, issuer, baseUrl: deps.baseUrl }
    return { member: found, link: await createSignInLink(tx, target) }
  })
  return { member, link, isMailed: await mailInvitation(deps, member, link) }
}

export const changeRole = async (
  { db }: Pick<Deps, 'db'>,
  organizationId: string,
  personId: string,
  role: Role,
): Promise<StoredMember> =>
  db.transaction(async tx => {
    await requireOtherAdmin(tx, organizationId, personId, role)
    await memberStore.setRole(tx, organizationId, personId, role)
    return findMember(tx, organizationId, personId)
  })

export const removeMember = async (
  { db }: Pick<Deps, 'db'>,
  organizationId: string,
  personId: string,
): Promise<void> =>
  db.transaction(async tx => {
    await requireOtherAdmin(tx, organizationId, personId, null)
    await memberStore.remove(tx, organizationId, personId)
  })

/** Throws if the member is the only administrator and would no longer be one. */
const requireOtherAdmin = async (
  tx: Queryable,
  organizationId: string,
  personId: string,
  next: Role | null,
): Promise<void> => {
  await memberStore.lockOrganization(tx, organizationId)
  const member = await findMember(tx, organizationId, personId)
  if (member.role !== 'admin' || next === 'admin') return
  if (!(await memberStore.hasOtherAdmin(tx, organizationId, personId))) throw new Refusal('last_admin')
}

export const findMember = async (
  db: Queryable,
  organizationId: string,
  personId: string,
): Promise<StoredMember> => {
  const member = isUuid(personId) ? await memberStore.find(db, organizationId, personId) : null
  if (!member) throw new Refusal('member_not_found')
  return member
}

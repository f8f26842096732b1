import type { InvitedMember, Member } from '@carabiner/contract'
import { operations } from '@carabiner/contract/operations'
import type { Api } from '../../edge/api.ts'
import type { Principal } from '../../edge/principal.ts'
import { serve } from '../../edge/serve.ts'
import type { Database } from '../../platform/database/database.ts'
import {
  changeRole,
  findMember,
  type Invited,
  inviteMember,
  removeMember,
  renewSignInLink,
} from './manage-members.ts'
import type { LinkIssuer } from './member-sign-in-links.ts'
import { memberStore, type StoredMember } from './member-store.ts'
import type { SendInvitation } from './send-invitation.ts'

type Deps = { db: Database; baseUrl: string; sendInvitation: SendInvitation }

/** The people who use the dashboard of an organization. */
export const memberRoutes = (api: Api, deps: Deps): void => {
  const { db } = deps
  const before = async (request: { principal: { organizationId: string }; params: unknown }) => {
    const { id } = request.params as { id: string }
    return showMember(await findMember(db, request.principal.organizationId, id))
  }

  serve(api, operations.listMembers, async ({ principal }) => ({
    data: (await memberStore.list(db, principal.organizationId)).map(showMember),
  }))

  serve(api, operations.inviteMember, async ({ principal, body }) =>
    showInvited(await inviteMember(deps, issuerOf(principal), body)),
  )

  serve(
    api,
    operations.updateMember,
    async ({ principal, params, body }) =>
      showMember(await changeRole(deps, principal.organizationId, params.id, body.role)),
    { before },
  )

  serve(api, operations.removeMember, async ({ principal, params }) => {
    await removeMember(deps, principal.organizationId, params.id)
  })

  serve(api, operations.createSignInLink, async ({ principal, params }) =>
    showInvited(await renewSignInLink(deps, issuerOf(principal), params.id)),
  )
}

const issuerOf = ({ organizationId, actor }: Principal): LinkIssuer => ({
  organizationId,
  personId: actor.type === 'person' ? actor.id : null,
})

const showMember = (member: StoredMember): Member => ({
  id: member.personId,
  name: member.name,
  email: member.email,
  role: member.role,
  status: member.hasAccepted ? 'active' : 'invited',
  has_second_factor: member.hasSecondFactor,
  last_seen_at: member.lastSeenAt?.toISOString() ?? null,
  created_at: member.createdAt.toISOString(),
})

const showInvited = ({ member, link, isMailed }: Invited): InvitedMember => {
  const shown = isMailed ? null : link
  return {
    ...showMember(member),
    sign_in_url: shown?.url.reveal() ?? null,
    sign_in_url_expires_at: shown?.expiresAt.toISOString() ?? null,
    mailed: isMailed,
  }
}

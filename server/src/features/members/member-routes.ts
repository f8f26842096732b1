import {
  type InvitedMember,
  Member,
  MemberInvite,
  MemberPatch,
  Members,
  InvitedMember as Shown,
} from '@carabiner/contract'
import { Type } from 'typebox'
import type { Api } from '../../edge/api.ts'
import type { Database } from '../../platform/database/database.ts'
import {
  changeRole,
  findMember,
  type Invited,
  inviteMember,
  removeMember,
  renewSignInLink,
} from './manage-members.ts'
import { memberStore, type StoredMember } from './member-store.ts'
import type { SendInvitation } from './send-invitation.ts'

const tags = ['Members']
const MemberPath = Type.Object({ id: Type.String() })
/** People are managed by people: with a key, a leaked one could create an administrator. */
const managing = { personOnly: true, permission: 'manage' } as const
/** What gives access to people lasts longer than the session. */
const granting = { ...managing, recentSignIn: true } as const

type Deps = { db: Database; baseUrl: string; sendInvitation: SendInvitation }

/** The people who use the dashboard of an organization. */
export const memberRoutes = (api: Api, deps: Deps): void => {
  const { db } = deps
  const before = async (request: { principal: { organizationId: string }; params: unknown }) => {
    const { id } = request.params as { id: string }
    return showMember(await findMember(db, request.principal.organizationId, id))
  }

  api.get(
    '/members',
    {
      config: { productionKeyOnly: true },
      schema: { summary: 'List members', tags, response: { 200: Members } },
    },
    async ({ principal }) => ({
      data: (await memberStore.list(db, principal.organizationId)).map(showMember),
    }),
  )

  api.post(
    '/members',
    {
      config: {
        ...granting,
        idempotency: false,
        errors: ['already_a_member'],
        audit: { action: 'member.invited', target: 'answer.id', values: ['role'] },
      },
      schema: {
        summary: 'Invite a member',
        description:
          'Sends an e-mail with a link that signs a new person in once. Without a mail server, the link is returned instead. A person who has an account already signs in as usual and accepts the invitation. The response does not reveal which of the two it is.',
        tags,
        body: MemberInvite,
        response: { 201: Shown },
      },
    },
    async ({ principal, body }, reply) =>
      reply.code(201).send(showInvited(await inviteMember(deps, principal.organizationId, body))),
  )

  api.patch(
    '/members/:id',
    {
      config: {
        ...granting,
        errors: ['member_not_found', 'last_admin'],
        audit: { action: 'member.updated', target: 'params.id', values: ['role'], before },
      },
      schema: {
        summary: 'Change the role of a member',
        tags,
        params: MemberPath,
        body: MemberPatch,
        response: { 200: Member },
      },
    },
    async ({ principal, params, body }) =>
      showMember(await changeRole(deps, principal.organizationId, params.id, body.role)),
  )

  api.delete(
    '/members/:id',
    {
      config: {
        ...managing,
        errors: ['member_not_found', 'last_admin'],
        audit: { action: 'member.removed', target: 'params.id' },
      },
      schema: {
        summary: 'Remove a member',
        description: 'The person’s next request to this organization is rejected.',
        tags,
        params: MemberPath,
        response: { 204: Type.Null() },
      },
    },
    async ({ principal, params }, reply) => {
      await removeMember(deps, principal.organizationId, params.id)
      return reply.code(204).send(null)
    },
  )

  api.post(
    '/members/:id/sign-in-link',
    {
      config: {
        ...granting,
        idempotency: false,
        errors: ['member_not_found', 'sign_in_link_not_allowed'],
        audit: { action: 'member.sign_in_link_created', target: 'params.id' },
      },
      schema: {
        summary: 'Create a sign-in link for a member',
        description:
          'For a member who has lost the password or the invitation. Members of several organizations, members with a second factor, and operators get one from the operator of the installation only.',
        tags,
        params: MemberPath,
        response: { 201: Shown },
      },
    },
    async ({ principal, params }, reply) =>
      reply.code(201).send(showInvited(await renewSignInLink(deps, principal.organizationId, params.id))),
  )
}

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

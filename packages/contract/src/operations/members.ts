import { Type } from 'typebox'
import { InvitedMember, Member, MemberInvite, MemberPatch, Members } from '../member-resources.ts'
import { declareOperations } from './operation.ts'

/** People are managed by people: with a key, a leaked one could create an administrator. */
const managing = { personOnly: true, permission: 'manage' } as const
/** What gives access to people lasts longer than the session. */
const granting = { ...managing, recentSignIn: true } as const

export const memberOperations = declareOperations('Members', {
  listMembers: {
    route: 'GET /members',
    client: 'members.list',
    summary: 'List members',
    responses: { 200: Members },
    productionKeyOnly: true,
  },
  inviteMember: {
    route: 'POST /members',
    client: 'members.invite',
    summary: 'Invite a member',
    description:
      'Emails a one-time sign-in link to a new person. Without a mail server, the link is returned instead. People who already have an account sign in as usual and accept the invitation. The response does not reveal whether an account exists.',
    body: MemberInvite,
    responses: { 201: InvitedMember },
    errors: ['already_a_member'],
    ...granting,
    audit: { action: 'member.invited', target: 'response.id', values: ['role'] },
    idempotency: false,
  },
  updateMember: {
    route: 'PATCH /members/{id}',
    client: 'members.update',
    summary: 'Update a member',
    description: 'Changes the member’s role.',
    body: MemberPatch,
    responses: { 200: Member },
    errors: ['member_not_found', 'last_admin'],
    ...granting,
    audit: { action: 'member.updated', target: 'params.id', values: ['role'] },
  },
  removeMember: {
    route: 'DELETE /members/{id}',
    client: 'members.remove',
    summary: 'Remove a member',
    description: 'The person’s next request to this organization is rejected.',
    responses: { 204: Type.Null() },
    errors: ['member_not_found', 'last_admin'],
    ...managing,
    audit: { action: 'member.removed', target: 'params.id' },
  },
  createSignInLink: {
    route: 'POST /members/{id}/sign-in-link',
    client: 'members.createSignInLink',
    summary: 'Create a sign-in link',
    description:
      'For a member who lost their password or invitation. For members of several organizations, members with a second factor, and operators, only the operator of the installation can create one.',
    responses: { 201: InvitedMember },
    errors: ['member_not_found', 'member_sign_in_link_not_allowed'],
    ...granting,
    audit: { action: 'member.sign_in_link_created', target: 'params.id' },
    idempotency: false,
  },
})

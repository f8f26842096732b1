import type { InvitedMember, Member, MemberInvite, MemberPatch } from './api-types.ts'
import { createWholeList } from './pages.ts'
import { path } from './path.ts'
import type { CallOptions, Send } from './send.ts'

/** The people who use the dashboard of the organization. A key may list them; changes need a member’s session, as in the dashboard. */
export const members = (send: Send) => ({
  list: (options?: CallOptions) => createWholeList(send<{ data: Member[] }>('GET', '/members', options)),
  /** The link that signs the person in is returned only in this response, so the request is not retried. */
  invite: (body: MemberInvite, options?: CallOptions) =>
    send<InvitedMember>('POST', '/members', options, { body, once: true }),
  update: (id: string, body: MemberPatch, options?: CallOptions) =>
    send<Member>('PATCH', path`/members/${id}`, options, { body }),
  remove: (id: string, options?: CallOptions) => send<void>('DELETE', path`/members/${id}`, options),
  /** For a member who has lost the password or the invitation. */
  createSignInLink: (id: string, options?: CallOptions) =>
    send<InvitedMember>('POST', path`/members/${id}/sign-in-link`, options, { once: true }),
})

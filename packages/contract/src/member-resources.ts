import { type Static, Type } from 'typebox'
import { roles } from './permissions.ts'
import { Id, orNull, Timestamp } from './resources.ts'

const strict = { additionalProperties: false } as const

const RoleName = Type.Enum(roles, {
  description:
    '`admin`: everything. `developer`: users, connections, connectors, Tool Packs, webhooks. `security`: security rules and the audit trail. `read_only`: reads everything except the audit trail.',
})
const Email = Type.String({ format: 'email', maxLength: 254 })
const Name = Type.String({ minLength: 1, maxLength: 120 })

export const Member = Type.Object({
  id: Id,
  name: Type.String(),
  email: Type.String(),
  role: RoleName,
  status: Type.Enum(['active', 'invited'], {
    description:
      '`invited`: the person has not accepted the invitation yet. Until then, the person has no access.',
  }),
  has_second_factor: Type.Boolean(),
  last_seen_at: orNull(Timestamp),
  created_at: Timestamp,
})
export type Member = Static<typeof Member>
export const Members = Type.Object({ data: Type.Array(Member) })

export const InvitedMember = Type.Object({
  ...Member.properties,
  sign_in_url: orNull(
    Type.String({
      description:
        'A link that signs a new person in once. A person who has an account already signs in as usual. Null if it was sent by email.',
    }),
  ),
  sign_in_url_expires_at: orNull(Timestamp),
  mailed: Type.Boolean(),
})
export type InvitedMember = Static<typeof InvitedMember>

export const MemberInvite = Type.Object(
  {
    email: Email,
    name: Type.Optional(Name),
    role: RoleName,
  },
  strict,
)
export type MemberInvite = Static<typeof MemberInvite>

export const MemberPatch = Type.Object({ role: RoleName }, strict)
export type MemberPatch = Static<typeof MemberPatch>

/** What the page of a one-time link shows before it is used. It is not part of the public API. */
export const SignInLinkDetails = Type.Object({
  organization: orNull(
    Type.Object({
      name: Type.String(),
      role: RoleName,
      invites: Type.Boolean({ description: 'Whether the link accepts an invitation.' }),
    }),
  ),
  issued_by: orNull(Type.String({ description: 'Name of the administrator who created the link.' })),
})
export type SignInLinkDetails = Static<typeof SignInLinkDetails>

/** What the dashboard reads first. It is not part of the public API. */
export const DashboardSession = Type.Object({
  person: Type.Object({
    id: Id,
    name: Type.String(),
    email: Type.String(),
    has_password: Type.Boolean(),
    has_second_factor: Type.Boolean(),
    is_by_link: Type.Boolean({
      description: 'Whether a one-time link started the session, within the last 15 minutes.',
    }),
    may_set_password: Type.Boolean({
      description: 'Whether a password can be set without the previous one.',
    }),
  }),
  is_operator: Type.Boolean(),
  invitations: Type.Array(
    Type.Object({ organization_id: Id, name: Type.String(), role: RoleName, invited_at: Timestamp }),
    { description: 'Invitations of organizations that the person can accept or decline.' },
  ),
  organizations: Type.Array(
    Type.Object({
      id: Id,
      name: Type.String(),
      role: RoleName,
      suspended: Type.Boolean({ description: 'The organization can be read, but not changed.' }),
      permissions: Type.Array(Type.Enum(['read', 'build', 'protect', 'audit', 'manage'])),
    }),
  ),
  development: Type.Boolean(),
})
export type DashboardSession = Static<typeof DashboardSession>

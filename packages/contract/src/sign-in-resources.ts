import { type Static, Type } from 'typebox'
import { Id, orNull, pageOf, Timestamp } from './resources.ts'

const strict = { additionalProperties: false } as const

const Issuer = Type.String({
  minLength: 1,
  maxLength: 2048,
  description: 'The issuer of the identity provider, exactly as in its OpenID Connect metadata.',
})
const ClientId = Type.String({ minLength: 1, maxLength: 512 })
const Scopes = Type.Array(Type.String({ minLength: 1, maxLength: 256 }), {
  maxItems: 50,
  description: 'Scopes to request besides `openid`. Default: `profile` and `email`.',
})
const UserClaim = Type.String({
  minLength: 1,
  maxLength: 200,
  pattern: '^[!-~]+$',
  description:
    'The claim whose value is the `origin_user_id` of the user, such as `sub`, `email`, `oid`, `preferred_username` or one of your own. It is read from the ID token, otherwise from UserInfo. `email` counts only with `email_verified`, unless `trust_email` is true. Default: `sub`.',
})
const TrustEmail = Type.Boolean({
  description:
    'Whether email addresses of this issuer count without `email_verified`. Turn it on only if the provider lets nobody choose an address that is not theirs: otherwise a person can sign in as another one. Default: false.',
})
const AcceptAssertions = Type.Boolean({
  description:
    'Enterprise-managed authorization: whether a client may present an assertion of the provider (ID-JAG) instead of asking the user. Default: false.',
})
const CreateUsers = Type.Boolean({
  description: 'Whether a person without a Registered User gets one at the first sign-in. Default: false.',
})
const SignInUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'A page of the application that signs the user in. It gets `request` as a parameter, and the backend approves that request.',
})
const ToolPackIds = Type.Array(Id, {
  maxItems: 1000,
  description: 'The Tool Packs that allow sign-in. Default: all, also those created later.',
})

/** Exactly one of `identity_provider` and `sign_in_url`. */
export const SignInWrite = Type.Object(
  {
    identity_provider: Type.Optional(
      Type.Object(
        {
          issuer: Issuer,
          client_id: ClientId,
          client_secret: Type.Optional(
            orNull(
              Type.String({
                minLength: 1,
                maxLength: 2048,
                description:
                  'Stored encrypted and never returned. Default: the stored secret, if issuer and client ID stay the same. Null, or no stored secret: the client is a public one.',
              }),
            ),
          ),
          scopes: Type.Optional(Scopes),
          user_claim: Type.Optional(UserClaim),
          trust_email: Type.Optional(TrustEmail),
          accept_assertions: Type.Optional(AcceptAssertions),
        },
        strict,
      ),
    ),
    sign_in_url: Type.Optional(SignInUrl),
    create_users: Type.Optional(CreateUsers),
    tool_pack_ids: Type.Optional(ToolPackIds),
  },
  strict,
)
export type SignInWrite = Static<typeof SignInWrite>

export const SignIn = Type.Object({
  mode: Type.Enum(['production', 'test']),
  identity_provider: orNull(
    Type.Object({
      issuer: Issuer,
      client_id: ClientId,
      has_client_secret: Type.Boolean(),
      scopes: Scopes,
      user_claim: UserClaim,
      trust_email: TrustEmail,
      accept_assertions: AcceptAssertions,
    }),
  ),
  sign_in_url: orNull(SignInUrl),
  create_users: CreateUsers,
  tool_pack_ids: orNull(ToolPackIds),
  for_approvals: Type.Boolean({
    description:
      'Whether users can sign in at this provider to decide about calls: a key of the group `policies`, or a member with a recent sign-in, has saved it.',
  }),
  redirect_uri: Type.String({ description: 'Register this redirect URI at the identity provider.' }),
  issuer: Type.String({ description: 'The issuer of the access tokens that MCP clients get.' }),
  updated_at: orNull(
    Type.String({ format: 'date-time', description: 'Null: sign-in is not configured for this mode.' }),
  ),
})
export type SignIn = Static<typeof SignIn>

export const SignInApproval = Type.Object(
  { registered_user_id: Type.String({ minLength: 1, maxLength: 64 }) },
  strict,
)
export const ApprovedSignIn = Type.Object({
  url: Type.String({
    description:
      'Redirect the user’s browser here. It works once, and only in the browser that has started the sign-in.',
  }),
})

export const Grant = Type.Object({
  id: Id,
  registered_user_id: Id,
  tool_pack_id: Id,
  client_id: Type.String(),
  client_name: Type.String({ description: 'As the client states it.' }),
  created_at: Timestamp,
  last_used_at: Type.String({ format: 'date-time', description: 'When the client last got tokens.' }),
  expires_at: Type.String({ format: 'date-time', description: 'When the user has to sign in again.' }),
})
export type Grant = Static<typeof Grant>
export const Grants = pageOf(Grant)

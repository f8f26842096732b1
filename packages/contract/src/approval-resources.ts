import { type Static, Type } from 'typebox'
import { approvalBounds } from './approval-bounds.ts'
import { ArgumentRoles } from './argument-roles.ts'
import { Slug } from './connector.ts'
import { Id, orNull, Page, pageOf, Timestamp } from './resources.ts'

const strict = { additionalProperties: false } as const

/** How the call of an approval can end, and how an approval can end without a call, apart from a denial. */
export const executionEnds = ['done', 'failed', 'unknown'] as const
export const approvalEnds = ['expired', 'withdrawn', 'void'] as const
/** Why an approval is void. */
export const approvalVoidReasons = [
  'account_relinked',
  'account_unshared',
  'account_removed',
  'tool_changed',
  'preview_changed',
  'policy_changed',
  'user_deactivated',
  'approver_removed',
  'sign_in_changed',
] as const
export type ApprovalVoidReason = (typeof approvalVoidReasons)[number]
const VOID_REASONS =
  '`account_relinked`: the account was connected again. `account_unshared`: it is no longer shared with the user. `account_removed`: it was disconnected. `tool_changed`: the definition of the tool. `preview_changed`: what the call refers to. `policy_changed`: a rule denies the call, or asks people who have not approved it. `approver_removed`: a person who approved it may no longer do so. `sign_in_changed`: the identity provider of the users.'
export const VoidReason = orNull(
  Type.Enum([...approvalVoidReasons], { description: `${VOID_REASONS} Null: the approval is not void.` }),
)

export const approvalStatuses = [
  'pending',
  'confirming',
  'approved',
  'executing',
  ...executionEnds,
  'denied',
  ...approvalEnds,
] as const
export type ApprovalStatus = (typeof approvalStatuses)[number]

export const approvalDecisions = ['approve', 'deny'] as const
export type ApprovalDecision = (typeof approvalDecisions)[number]

/** The result of a call that waits for a decision. It contains nothing with which the caller could decide. */
export const ApprovalMeta = Type.Object(
  {
    type: Type.Literal('approval_meta'),
    approval_id: Id,
    approval_url: Type.String({ format: 'uri' }),
    expires_at: Timestamp,
    message: Type.String(),
  },
  strict,
)
export type ApprovalMeta = Static<typeof ApprovalMeta>

export const callerTypes = ['api_key', 'mcp_key', 'client'] as const
export type CallerType = (typeof callerTypes)[number]
const base64url = (maxLength: number, description: string) =>
  Type.String({ minLength: 1, maxLength, pattern: '^[A-Za-z0-9_-]+$', description })
const digest = (description: string) => Type.String({ pattern: '^[0-9a-f]{64}$', description })

const decider = (description: string) =>
  Type.Object(
    {
      type: Type.Enum(['members', 'user'], {
        description: '`user`: the user whose call it is, or whose account it uses.',
      }),
      registered_user_id: orNull(
        Type.String({ ...Id, description: 'The user who decides. Null: members do.' }),
      ),
    },
    { description },
  )

export const Approval = Type.Object({
  id: Id,
  status: Type.Enum(approvalStatuses, {
    description:
      '`pending` until everyone who must decide has decided. `confirming`: the user has approved, and the application has not confirmed that it was this user. An `approved` call runs once: `executing`, then `done`, `failed` or `unknown`. `void`: see `void_reason`.',
  }),
  registered_user_id: Id,
  tool_pack_id: Id,
  connector_slug: Slug,
  tool: Type.String({ description: 'Name of the tool, without the connector.' }),
  credential_id: orNull(Id),
  account_label: orNull(Type.String({ description: 'Label of the account at the time of the request.' })),
  requested_by: Type.Object(
    {
      type: Type.Enum(callerTypes, {
        description: '`client`: an MCP client that the user has signed in with.',
      }),
      id: Type.String({
        description:
          'ID of the key or of the registered client. An API key that was rolled or regenerated keeps the ID of the first key.',
      }),
    },
    { description: 'Who has made the call.' },
  ),
  rules: Type.Array(
    Type.Object({
      name: Type.String(),
      reason: orNull(Type.String({ description: 'Null for a rule that a key has made.' })),
      approvers: Type.Array(decider('Someone who can approve the call.'), {
        description: 'Who can approve the call for this rule.',
      }),
      step_up: Type.Boolean({ description: 'Whether a member must approve with a passkey.' }),
      prevent_self_approval: Type.Boolean({
        description: 'Whether a member with the email address of the user cannot approve.',
      }),
    }),
    {
      description:
        'The rules that ask about the call; each must be satisfied. Empty: the default of the policy asks, and members decide.',
    },
  ),
  approval_digest: digest('Identifies the call that is approved: nothing about it can change.'),
  requested_at: Type.String({ ...Timestamp, description: 'When the call was made for the first time.' }),
  expires_at: Type.String({
    ...Timestamp,
    description: 'When the approval expires: without a decision, or approved without the call.',
  }),
  decisions: Type.Array(
    Type.Object({
      decision: Type.Enum(approvalDecisions, { description: 'What this person has decided.' }),
      by: decider('Who has decided.'),
      with_passkey: Type.Boolean({
        description: 'Whether the member has signed with a passkey: then there is a receipt.',
      }),
      by_link: Type.Boolean({
        description:
          'Whether nobody has identified the user, because the `approval_binding` of the organization’s policy is `link`.',
      }),
      decided_at: Type.String({ ...Timestamp, description: 'When this person decided.' }),
    }),
    {
      description:
        'What people have decided. All who must decide have approved once the status is `approved`.',
    },
  ),
  decided_at: orNull(Type.String({ ...Timestamp, description: 'When the approval was decided.' })),
  decision_reason: orNull(
    Type.String({ description: 'The reason that the person gave. The model reads it.' }),
  ),
  ended_at: orNull(
    Type.String({ ...Timestamp, description: 'Null while it is pending, approved or executing.' }),
  ),
  void_reason: VoidReason,
  tool_call_id: orNull(Type.String({ ...Id, description: 'Record of the call that carried it out.' })),
  grant_id: orNull(
    Type.String({
      ...Id,
      description:
        'The remembered approval that has let the call run. Null: people have decided about this call.',
    }),
  ),
})
export type Approval = Static<typeof Approval>
export const Approvals = pageOf(Approval)

export const ApprovalsQuery = Type.Object(
  {
    ...Page.Query.properties,
    status: Type.Optional(Type.Enum(approvalStatuses, { description: 'Approvals with this status.' })),
    registered_user_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    approver: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Approvals that `members` can decide, or a user, by its ID.',
      }),
    ),
  },
  strict,
)

const PreviewField = Type.Object({
  label: Type.String({ description: 'From the connector file, in English.' }),
  text: Type.String({ description: 'As the provider has returned it, in one line.' }),
  display_only: Type.Boolean({ description: 'The approval stays valid if the value changes.' }),
})

export const ApprovalPreview = Type.Object({
  is_loaded: Type.Boolean({
    description: 'False: the provider did not return it, so the arguments show identifiers only.',
  }),
  fields: Type.Array(PreviewField, { description: 'Empty if it was not loaded.' }),
})
export type ApprovalPreview = Static<typeof ApprovalPreview>

/** What a person sees before the decision. */
export const ApprovalCall = Type.Object({
  approval_digest: digest('As in the approval. The decision names it.'),
  connector_name: Type.String({ description: 'Display name of the connector.' }),
  tool_title: Type.String({
    description: 'From the connector file; for an MCP server, as the server states it.',
  }),
  is_of_mcp_server: Type.Boolean({ description: 'The title is a claim of the server.' }),
  is_destructive: Type.Boolean({
    description:
      'Whether the tool changes or deletes something, or counts as such because nobody has vouched for it.',
  }),
  account: orNull(Type.String({ description: 'The account, as the provider names it.' })),
  arguments: Type.Record(Type.String(), Type.Unknown(), {
    description: 'After redaction, with the values that the Tool Pack fixes.',
  }),
  roles: ArgumentRoles,
  preview: Type.Array(ApprovalPreview, {
    description:
      'What the arguments refer to, read at the provider when the approval was requested. It is read again before the call is made, and if it differs, the approval is void. Empty if the connector file has none for the tool.',
  }),
  request: Type.Object(
    {
      method: Type.String({ description: 'HTTP method; `tools/call` for an MCP server.' }),
      url: Type.String({ description: 'With the query.' }),
      headers: Type.Record(Type.String(), Type.String(), { description: 'Without the credential.' }),
      body: orNull(Type.String({ description: 'As text. Null: none.' })),
    },
    { description: 'The request as it will be sent, without the credential.' },
  ),
  previous: orNull(
    Type.Object(
      {
        approval_id: Type.String({ ...Id, description: 'The approval of that call.' }),
        carried_out_at: Type.String({ ...Timestamp, description: 'When that call ended.' }),
        is_same: Type.Boolean({ description: 'Whether that call was exactly the same.' }),
        arguments: Type.Record(Type.String(), Type.Unknown(), { description: 'Of that call.' }),
      },
      {
        description:
          'The latest approved call of this tool with the same user, caller, Tool Pack and account. Null: there is none, its arguments were deleted, or members could not decide about it.',
      },
    ),
  ),
  frozen_call: Type.String({
    description:
      'Everything that is approved, as canonical JSON (RFC 8785). Its SHA-256 hash is the call digest. The SHA-256 hash of approval ID, nonce and call digest is `approval_digest`.',
  }),
  nonce: digest('Without it, the digest of a receipt says nothing about the call.'),
})
export type ApprovalCall = Static<typeof ApprovalCall>

/** The parts of an assertion (Web Authentication Level 3, §5.2.2), each as unpadded base64url. */
const PasskeyAssertion = Type.Object(
  {
    credential_id: base64url(1400, 'ID of the passkey.'),
    client_data_json: base64url(4096, '`clientDataJSON`. Its challenge is the approval digest.'),
    authenticator_data: base64url(4096, '`authenticatorData`. The user must be verified.'),
    signature: base64url(2048, '`signature`.'),
  },
  {
    ...strict,
    description:
      'The signature of a passkey of the person. Required to approve a call if a rule has `step_up`, otherwise ignored.',
  },
)
export type PasskeyAssertion = Static<typeof PasskeyAssertion>

/** What a browser needs to let a passkey sign. */
export const ApprovalPasskeys = Type.Object({
  challenge: base64url(43, 'The approval digest, as unpadded base64url.'),
  rp_id: Type.String({ description: 'Domain for which the passkeys were created.' }),
  passkeys: Type.Array(
    Type.Object({
      credential_id: Type.String({ description: 'As unpadded base64url.' }),
      transports: Type.Array(Type.String(), { description: 'How the browser reaches the passkey.' }),
    }),
    { description: 'The passkeys of the person. Empty: the person must add one first.' },
  ),
})
export type ApprovalPasskeys = Static<typeof ApprovalPasskeys>

export const ApprovalDecide = Type.Object(
  {
    decision: Type.Enum(approvalDecisions, { description: 'What the person has decided.' }),
    approval_digest: digest('Of the call that the person has seen.'),
    reason: Type.Optional(
      orNull(
        Type.String({
          minLength: 1,
          maxLength: approvalBounds.reasonLength,
          description: 'For the model whose call is denied.',
        }),
      ),
    ),
    assertion: Type.Optional(PasskeyAssertion),
  },
  strict,
)
export type ApprovalDecide = Static<typeof ApprovalDecide>

/** A flattened JSON Web Signature (RFC 7515 §7.2.2) with Ed25519. */
export const ApprovalReceipt = Type.Object({
  payload: Type.String({
    description:
      'The approval, the person and the assertion of the passkey, as JSON in unpadded base64url. `carabiner verify-receipt` shows it.',
  }),
  protected: Type.String({
    description: 'The header. Its `kid` names the key in `/.well-known/carabiner-receipts.json`.',
  }),
  signature: Type.String({ description: 'The signature of the installation.' }),
})
export type ApprovalReceipt = Static<typeof ApprovalReceipt>

export const ApprovalLinkCreate = Type.Object(
  {
    registered_user_id: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The user who is signed in to the application, and who decides.',
    }),
    return_url: Type.String({
      minLength: 1,
      maxLength: 2048,
      description:
        'Where the browser returns after the decision, with `approval_id`, `status` (`approved` or `denied`) and, if approved, `code`. Its origin must be a callback origin of the organization.',
    }),
  },
  strict,
)
export type ApprovalLinkCreate = Static<typeof ApprovalLinkCreate>

export const ApprovalLink = Type.Object({
  url: Type.String({
    format: 'uri',
    description:
      'The page on which the user decides. It works in the first browser that opens it. It shows the call, so redirect the signed-in user to it, and never give it to an agent.',
  }),
  expires_at: Timestamp,
})
export type ApprovalLink = Static<typeof ApprovalLink>

export const ApprovalConfirm = Type.Object(
  {
    code: Type.String({
      minLength: 1,
      maxLength: 200,
      description: 'The code that the browser has returned with.',
    }),
    registered_user_id: Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The user who is signed in to the application in that browser.',
    }),
  },
  strict,
)
export type ApprovalConfirm = Static<typeof ApprovalConfirm>

export const ApprovalGrant = Type.Object({
  id: Id,
  registered_user_id: Type.String({ ...Id, description: 'The user whose calls run without asking again.' }),
  approved_by: Type.String({
    ...Id,
    description: 'The user who has approved: the same, or the owner of the account.',
  }),
  approval_id: Type.String({ ...Id, description: 'The approval that is remembered.' }),
  tool_pack_id: Id,
  connector_slug: Slug,
  tool: Type.String({ description: 'Name of the tool, without the connector.' }),
  account_label: orNull(Type.String({ description: 'Label of the account at the time of the approval.' })),
  requested_by: Type.Object(
    {
      type: Type.Enum(callerTypes, {
        description: '`client`: an MCP client that the user has signed in with.',
      }),
      id: Type.String({
        description:
          'ID of the key or of the registered client. An API key that was rolled or regenerated keeps the ID of the first key.',
      }),
    },
    { description: 'Whose calls run.' },
  ),
  any_text: Type.Boolean({
    description: 'Whether arguments with the role `text` may differ. All other arguments must be the same.',
  }),
  uses: Type.Integer({ minimum: 0, description: 'How many calls have run.' }),
  max_uses: Type.Integer({ minimum: 1, description: 'How many calls can run.' }),
  created_at: Timestamp,
  last_used_at: orNull(Type.String({ ...Timestamp, description: 'When the last call ran.' })),
  expires_at: Type.String({ ...Timestamp, description: 'From then on, the same call asks again.' }),
})
export type ApprovalGrant = Static<typeof ApprovalGrant>
export const ApprovalGrants = pageOf(ApprovalGrant)

export const ApprovalGrantsQuery = Type.Object(
  {
    ...Page.Query.properties,
    registered_user_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Remembered approvals for calls of this user, or given by this user.',
      }),
    ),
  },
  strict,
)

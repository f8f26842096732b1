import { type Static, Type } from 'typebox'
import { authenticateReasons } from './authenticate-meta.ts'
import { policyEffects } from './policy-bounds.ts'
import { Id, orNull, Timestamp } from './resources.ts'

const strict = { additionalProperties: false } as const
const count = Type.Integer({ minimum: 0 })
const strings = Type.Array(Type.String())

/** The decisions of a tool call, in the order in which it makes them, and their names for people. */
export const explainStepTitles = {
  key: 'API key',
  user: 'Registered User',
  mode: 'Mode',
  tool_pack: 'Tool Pack',
  user_status: 'User is active',
  connector: 'Connector',
  tool: 'Tool',
  tool_definition: 'Tool definition',
  plan_limit: 'Plan limit',
  daily_limit: 'Daily limit',
  rate_limit: 'Rate limit',
  arguments: 'Arguments',
  security_rules: 'Security rules',
  policy: 'Policy',
  account: 'Account',
  credential: 'Connection',
  scopes: 'Permissions (scopes)',
  token: 'Access token',
  policy_hooks: 'Policy hooks',
  approval: 'Approval',
  provider: 'Provider',
} as const
export type ExplainStepName = keyof typeof explainStepTitles
export const explainSteps = Object.keys(explainStepTitles) as ExplainStepName[]

/** The steps that may end a call: those of Explain, and what follows the provider's answer. */
export const callStepTitles = {
  ...explainStepTitles,
  result_rules: 'Security rules for the result',
  settlement: 'Result is recorded',
} as const
export type CallStepName = keyof typeof callStepTitles
export const callSteps = Object.keys(callStepTitles) as CallStepName[]

export const explainStatuses = ['passed', 'failed', 'not_reached', 'not_checked'] as const
export type ExplainStatus = (typeof explainStatuses)[number]

export const explainFixes = [
  'check_user',
  'use_key',
  'activate_user',
  'check_tool_pack',
  'add_connector',
  'configure_connector',
  'check_tool',
  'add_tool',
  'update_tool_pack',
  'review_tools',
  'raise_plan_limit',
  'wait',
  'change_arguments',
  'connect_account',
  'reconnect_account',
  'resume_connection',
  'grant_scopes',
  'check_permissions',
  'set_runtime_callback_url',
  'allow_origin',
  'change_policy',
] as const
export type ExplainFixAction = (typeof explainFixes)[number]

export const ExplainRequest = Type.Object(
  {
    registered_user_id: Type.Optional(Type.String({ minLength: 1, maxLength: 64 })),
    origin_user_id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 255,
        description: 'Your own ID of the user, instead of `registered_user_id`.',
      }),
    ),
    tool: Type.String({
      minLength: 1,
      maxLength: 128,
      description: 'Name of the tool as in `tools/list`, such as `slack__send_message`.',
    }),
    tool_pack_id: Type.Optional(
      Type.String({ minLength: 1, maxLength: 64, description: 'Default: the default Tool Pack.' }),
    ),
    arguments: Type.Optional(
      Type.Record(Type.String(), Type.Unknown(), {
        description:
          'Arguments of the call. They are checked against the input schema and the security rules, and neither stored nor logged.',
      }),
    ),
  },
  strict,
)
export type ExplainRequest = Static<typeof ExplainRequest>

const ExplainFix = Type.Object({
  action: Type.Enum(explainFixes),
  label: Type.String({ description: 'The fix in one sentence.' }),
  request: Type.Optional(
    Type.Object(
      {
        method: Type.Enum(['GET', 'POST', 'PUT', 'PATCH', 'DELETE']),
        path: Type.String(),
        body: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
      },
      { description: 'The API request that applies the fix, if one request does.' },
    ),
  ),
})
export type ExplainFix = Static<typeof ExplainFix>

/** Each field is present in the steps that it belongs to. */
const ExplainDetail = Type.Object({
  mode: Type.Optional(Type.Enum(['production', 'test'])),
  connector: Type.Optional(Type.String()),
  authentication: Type.Optional(
    Type.Enum(['user', 'organization', 'none'], { description: 'Whose account the call uses.' }),
  ),
  review_pending: Type.Optional(
    Type.Boolean({ description: 'The server lists a definition that has not been accepted yet.' }),
  ),
  limit: Type.Optional(count),
  remaining: Type.Optional(count),
  resets_at: Type.Optional(Timestamp),
  retry_after_seconds: Type.Optional(count),
  param: Type.Optional(Type.String({ description: 'The argument that was rejected.' })),
  redacted: Type.Optional(
    Type.Boolean({ description: 'A security rule replaces part of the arguments before the call.' }),
  ),
  matches: Type.Optional(
    Type.Array(Type.Object({ entity: Type.String(), action: Type.String(), count }), {
      description: 'Matches of security rules in the arguments, without the matched text.',
    }),
  ),
  policy_rules: Type.Optional(
    Type.Array(
      Type.Object({
        id: Id,
        name: Type.String(),
        effect: orNull(
          Type.Enum([...policyEffects], { description: 'Effect of the rule. Null: its hook decides.' }),
        ),
        status: Type.Enum(['matched', 'failed'], {
          description:
            '`failed`: the condition could not be evaluated, which counts as a match of a rule that denies.',
        }),
      }),
      { description: 'Rules of the policies that match the call.' },
    ),
  ),
  credential_id: Type.Optional(Id),
  account_label: Type.Optional(Type.String({ description: 'The account that the call uses.' })),
  account_choice: Type.Optional(
    Type.Enum(['only', 'named', 'fixed'], {
      description:
        'Why it uses this account: the user has only this one, the call names it, or the Tool Pack fixes it.',
    }),
  ),
  account_labels: Type.Optional(
    Type.Array(Type.String(), { description: 'The accounts that the call may name.' }),
  ),
  credential_status: Type.Optional(Type.Enum(['active', 'needs_reauth', 'revoked'])),
  paused_until: Type.Optional(Timestamp),
  access_expires_at: Type.Optional(Timestamp),
  refresh_due: Type.Optional(
    Type.Boolean({ description: 'The access token expires within a minute. The next call refreshes it.' }),
  ),
  required_scopes: Type.Optional(Type.Array(strings, { description: 'One scope of each list is required.' })),
  granted_scopes: Type.Optional(strings),
  missing_scopes: Type.Optional(strings),
})
export type ExplainDetail = Static<typeof ExplainDetail>

const ExplainStep = Type.Object({
  step: Type.Enum(explainSteps),
  title: Type.String({ description: 'Display name of the step, such as `Plan limit`.' }),
  status: Type.Enum(explainStatuses),
  summary: Type.String(),
  detail: Type.Optional(ExplainDetail),
  fix: Type.Optional(ExplainFix),
})
export type ExplainStep = Static<typeof ExplainStep>

export const Explanation = Type.Object({
  allowed: Type.Boolean({ description: 'Whether the call would reach the provider.' }),
  would: Type.Enum(['run', 'request_authentication', 'request_approval', 'reject']),
  first_failed: orNull(Type.Enum(explainSteps)),
  summary: Type.String(),
  error: orNull(
    Type.Object(
      {
        code: Type.String(),
        message: Type.String(),
        param: Type.Optional(Type.String()),
        retryable: Type.Optional(Type.Boolean()),
        retry_after_seconds: Type.Optional(count),
      },
      { description: 'The error of a call that would be rejected.' },
    ),
  ),
  authentication: orNull(
    Type.Object(
      {
        connector: Type.String(),
        reason: Type.Enum(authenticateReasons),
        missing_scopes: Type.Optional(strings),
      },
      { description: 'Why a call would return an `authenticate_meta`.' },
    ),
  ),
  tool: Type.String(),
  connector: orNull(Type.Object({ slug: Type.String(), name: Type.String() })),
  registered_user: orNull(
    Type.Object({
      id: Id,
      origin_user_id: Type.String(),
      origin_user_name: orNull(Type.String()),
      mode: Type.Enum(['production', 'test']),
    }),
  ),
  tool_pack: orNull(Type.Object({ id: Id, name: Type.String() })),
  steps: Type.Array(ExplainStep, { description: 'Every step of a call, in the order of the call.' }),
})
export type Explanation = Static<typeof Explanation>

import { type Static, Type } from 'typebox'
import { approverTypes } from './approval-bounds.ts'
import { approvalBindings, hookFallbacks, policyBounds, policyEffects } from './policy-bounds.ts'
import { Id, orNull, Page, pageOf, Timestamp } from './resources.ts'

const strict = { additionalProperties: false } as const

const Effect = Type.Enum([...policyEffects], {
  description:
    '`deny`: the call does not run. `ask`: it runs once one of `approvers` has approved it. `allow`: it runs, unless another rule is stricter.',
})
const HookUrl = Type.String({
  minLength: 1,
  maxLength: 2048,
  description:
    'The endpoint that decides. HTTPS; in development also HTTP on a loopback address. Members and keys that cannot change policies see its origin only.',
})
const onErrorDescription = `What applies if the endpoint does not answer with a decision within ${policyBounds.hookMs / 1000} seconds.`
const OnError = Type.Enum([...hookFallbacks], { description: onErrorDescription })
export const PolicyHook = Type.Object({ url: HookUrl, on_error: OnError })
export const PolicyHookWrite = Type.Object(
  {
    url: HookUrl,
    on_error: Type.Optional(
      Type.Enum([...hookFallbacks], { description: `${onErrorDescription} Default: \`deny\`.` }),
    ),
  },
  strict,
)
export type PolicyHookWrite = Static<typeof PolicyHookWrite>

const fields = {
  name: Type.String({
    minLength: 1,
    maxLength: policyBounds.nameLength,
    description: 'Unique in its policy. Callers see it when the rule denies a call or asks about it.',
  }),
  effect: Effect,
  hook: PolicyHookWrite,
  tools: Type.Array(Type.String({ maxLength: 128, pattern: '^(\\*|[a-z0-9-]+__(\\*|[A-Za-z0-9_.-]+))$' }), {
    minItems: 1,
    maxItems: policyBounds.tools,
    uniqueItems: true,
    description:
      'The tools that the rule is for: `gmail__send_email`, all of a connector (`gmail__*`), or all (`*`).',
  }),
  when: orNull(
    Type.String({
      minLength: 1,
      maxLength: policyBounds.whenLength,
      description:
        'The condition as a CEL expression, such as `args.amount > 100`. Null: the rule matches every call of its tools.',
    }),
  ),
  approvers: Type.Array(Type.Enum([...approverTypes]), {
    minItems: 1,
    maxItems: approverTypes.length,
    uniqueItems: true,
    description:
      'Who can approve a call that the rule asks about; one of them is enough. `user`: the user whose call it is. `account_owner`: the user whose account is used. `members`: members with the role administrator or security. Default: `["members"]`.',
  }),
  step_up: Type.Boolean({
    description:
      'Whether a member approves with a passkey, which signs the call. Needs `approvers` `["members"]`. Default: false.',
  }),
  prevent_self_approval: Type.Boolean({
    description:
      'Whether a member with the email address of the user cannot approve. Needs `approvers` `["members"]`. Default: false.',
  }),
  reason: orNull(
    Type.String({
      minLength: 1,
      maxLength: policyBounds.reasonLength,
      description:
        'Why the rule exists, for the person and the model whose call it denies or asks about. Null: none.',
    }),
  ),
}

export const policyMakers = ['person', 'policy_key', 'key'] as const
export type PolicyMaker = (typeof policyMakers)[number]

export const PolicyRule = Type.Object({
  id: Id,
  tool_pack_id: orNull(Id),
  ...fields,
  effect: orNull(Effect),
  hook: orNull(PolicyHook),
  made_by: Type.Enum(policyMakers, {
    description:
      '`policy_key`: a key of the group `policies`. `key`: another key, which an agent may hold, so the reason is not shown to callers.',
  }),
  created_at: Timestamp,
  updated_at: Timestamp,
})
export type PolicyRule = Static<typeof PolicyRule>
const secretDescription = 'The secret (`whsec_…`) that signs the requests to the hook. It is shown only once.'
export const SavedPolicyRule = Type.Object({
  ...PolicyRule.properties,
  hook_secret: orNull(Type.String({ description: `${secretDescription} Null: it is not new.` })),
})
export type SavedPolicyRule = Static<typeof SavedPolicyRule>
export const PolicyRules = pageOf(PolicyRule)

const ofPack = {
  tool_pack_id: Type.Optional(
    orNull(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description: 'Null or omitted: the policy of the organization.',
      }),
    ),
  ),
}
const { name, effect, hook, tools, when, approvers, step_up, prevent_self_approval, reason } = fields
const written = {
  name,
  effect: Type.Optional(effect),
  hook: Type.Optional(hook),
  tools,
  when: Type.Optional(when),
  approvers: Type.Optional(approvers),
  step_up: Type.Optional(step_up),
  prevent_self_approval: Type.Optional(prevent_self_approval),
  reason: Type.Optional(reason),
}
export const PolicyRuleCreate = Type.Object({ ...ofPack, ...written }, strict)
export type PolicyRuleCreate = Static<typeof PolicyRuleCreate>
export const PolicyRulePatch = Type.Partial(Type.Object(fields), strict)
export type PolicyRulePatch = Static<typeof PolicyRulePatch>

const OfPackQuery = {
  tool_pack_id: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 64,
      description: 'The policy of this Tool Pack. Default: the policy of the organization.',
    }),
  ),
}
export const PolicyRulesQuery = Type.Object({ ...Page.Query.properties, ...OfPackQuery }, strict)
export const PolicyQuery = Type.Object(OfPackQuery, strict)

const ApprovalBinding = Type.Enum([...approvalBindings], {
  description:
    'How a user decides. `identified`: the user signs in for the decision, or the application confirms who has decided. `link`: anyone with `approval_url` can decide, including an agent. Destructive calls still need an identified user, and nothing is remembered.',
})
export const Policy = Type.Object({
  tool_pack_id: orNull(Id),
  default: Type.Enum([...policyEffects], { description: 'What applies to a call that no rule matches.' }),
  approval_binding: orNull(ApprovalBinding),
  rules: Type.Integer({ minimum: 0, maximum: policyBounds.rules, description: 'Number of rules.' }),
  updated_at: orNull(Timestamp),
})
export type Policy = Static<typeof Policy>
export const SavedPolicy = Type.Object({
  ...Policy.properties,
  hook_secrets: Type.Array(
    Type.Object({
      policy_rule_id: Id,
      name: Type.String(),
      secret: Type.String({ description: secretDescription }),
    }),
    {
      description: 'Of the rules whose hooks are new.',
    },
  ),
})
export type SavedPolicy = Static<typeof SavedPolicy>
export const NamedPolicyRule = Type.Object(written, strict)
export type NamedPolicyRule = Static<typeof NamedPolicyRule>
export const PolicyWrite = Type.Object(
  {
    ...ofPack,
    default: Effect,
    approval_binding: Type.Optional(ApprovalBinding),
    rules: Type.Optional(
      Type.Array(NamedPolicyRule, {
        maxItems: policyBounds.rules,
        description:
          'The rules that the policy has from now on. Rules are recognized by their name, and others are deleted. Omitted: the rules stay as they are.',
      }),
    ),
  },
  strict,
)
export type PolicyWrite = Static<typeof PolicyWrite>

export const PolicyRuleTest = Type.Object(
  {
    id: Type.Optional(
      Type.String({
        minLength: 1,
        maxLength: 64,
        description:
          'A rule whose change is tested; the given fields replace its own. Omitted: a new rule, which needs `tools`, and `effect` or `hook`.',
      }),
    ),
    ...ofPack,
    ...Type.Partial(Type.Object(fields)).properties,
  },
  strict,
)
export type PolicyRuleTest = Static<typeof PolicyRuleTest>

/** What a policy decides about a call as far as its hooks are not asked. */
export const testedDecisions = [...policyEffects, 'hook'] as const
export type TestedDecision = (typeof testedDecisions)[number]
const Decision = Type.Enum([...testedDecisions], {
  description: '`hook`: a hook decides, which the test does not ask.',
})

const count = (description: string) => Type.Integer({ minimum: 0, description })
const byEffect = (description: string) =>
  Type.Object(
    {
      deny: count('Denied.'),
      ask: count('Asked about.'),
      allow: count('Allowed.'),
      hook: count('Decided by a hook, which the test does not ask.'),
    },
    { description },
  )

export const PolicyRuleTested = Type.Object({
  issues: Type.Array(
    Type.Object({
      param: Type.String({ description: 'The field, such as `when` or `tools.0`.' }),
      message: Type.String(),
      position: orNull(
        Type.Object(
          { offset: count('From 0.'), length: count('0: at the end.') },
          { description: 'Where in the expression, in UTF-16 code units. Null: unknown.' },
        ),
      ),
    }),
    { description: 'Why the rule cannot be saved. Empty: it is valid.' },
  ),
  warnings: Type.Array(Type.String(), { description: 'What to consider before saving the rule.' }),
  calls: orNull(
    Type.Object(
      {
        since: Timestamp,
        covered_since: Type.String({
          ...Timestamp,
          description: 'Start of the calls that were read. Later than `since` if a limit was met.',
        }),
        limit: orNull(
          Type.Enum(['records', 'time'], {
            description: `What ended the test before all calls were read: \`records\` (${policyBounds.testedCalls} were read) or \`time\`. Null: all calls were read.`,
          }),
        ),
        checked: count('Recorded calls of the tools of the rule.'),
        matched: count('Calls that the rule matches, including `failed`.'),
        failed: count(
          'Calls in which the condition could not be evaluated, which a rule that denies or asks matches and a rule that allows does not.',
        ),
        undecided: count('Calls of which something that the condition reads was not recorded.'),
        without_arguments: count('The undecided calls whose arguments were not recorded.'),
        decisions: byEffect('What the policy with this rule decides about the matched calls.'),
        changed: byEffect('Calls about which the policy decides differently with this rule than without it.'),
        examples: Type.Array(
          Type.Object({
            tool_call_id: Id,
            tool: Type.String({ description: 'With its connector: `gmail__send_email`.' }),
            registered_user_id: Id,
            started_at: Type.String({ ...Timestamp, description: 'When the call was made.' }),
            decision: Decision,
            previous_decision: Decision,
          }),
          { description: 'The latest calls whose decision changes, or that match if none changes.' },
        ),
      },
      {
        description: 'What the rule would have done. Null: the rule has issues.',
      },
    ),
  ),
})
export type PolicyRuleTested = Static<typeof PolicyRuleTested>

const HookCall = {
  id: Type.String({ description: 'The header `webhook-id`. Each request has its own.' }),
  type: Type.Literal('policy.hook'),
  stage: Type.Enum(['request', 'execution', 'test'], {
    description:
      '`request`: a call was made. `execution`: people have approved this call, which runs next unless the hook denies it now. `test`: example data; the answer decides nothing.',
  }),
  organization_id: Id,
  mode: Type.Enum(['production', 'test']),
  policy_rule: Type.Object({ id: Id, name: Type.String() }),
  registered_user: Type.Object({ id: Id, origin_user_id: Type.String() }),
  tool_pack_id: Id,
  connector: Type.String({ description: 'Slug of the connector.' }),
  tool: Type.String({ description: 'Name of the tool without its connector.' }),
  account_label: orNull(Type.String()),
  arguments: Type.Record(Type.String(), Type.Unknown(), {
    description:
      'The arguments as they would be sent: after the Security Gateway, and with the values that the Tool Pack fixes.',
  }),
  call_digest: Type.String({
    description:
      'SHA-256 of the whole call. It is equal at `request` and `execution`, and differs if anything about the call differs.',
  }),
}
/** What the endpoint of a hook receives. */
export const PolicyHookRequest = Type.Object(HookCall)
export type PolicyHookRequest = Static<typeof PolicyHookRequest>

/** What the endpoint of a hook answers. */
export const PolicyHookAnswer = Type.Object(
  {
    decision: Type.Enum([...policyEffects]),
    reason: Type.Optional(orNull(Type.String({ minLength: 1, maxLength: policyBounds.reasonLength }))),
  },
  strict,
)
export type PolicyHookAnswer = Static<typeof PolicyHookAnswer>

export const PolicyHookTested = Type.Object({
  decision: orNull(Type.Enum([...policyEffects], { description: 'What the endpoint has answered.' })),
  reason: orNull(Type.String({ description: 'The reason in the answer. Null: none.' })),
  error: orNull(Type.String({ description: 'Why there is no decision. In a call, `on_error` would apply.' })),
  duration_ms: Type.Integer({ minimum: 0, description: 'Duration in milliseconds.' }),
})
export type PolicyHookTested = Static<typeof PolicyHookTested>

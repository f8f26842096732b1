import { Type } from 'typebox'
import { policyBounds } from '../policy-bounds.ts'
import {
  Policy,
  PolicyHookTested,
  PolicyQuery,
  PolicyRule,
  PolicyRuleCreate,
  PolicyRulePatch,
  PolicyRules,
  PolicyRulesQuery,
  PolicyRuleTest,
  PolicyRuleTested,
  PolicyWrite,
  SavedPolicy,
  SavedPolicyRule,
} from '../policy-resources.ts'
import { declareOperations } from './operation.ts'

const LOOSENING =
  'Whatever lets more calls run needs a key of the group `policies`, or a member with a recent sign-in.'

/** A change that makes a policy stricter. The handler requires more for every other change. */
const tightening = {
  group: ['settings', 'policies'],
  productionKeyOnly: true,
  permission: 'protect',
} as const

/** A change that may let more calls run. */
const loosening = {
  group: 'policies',
  productionKeyOnly: true,
  permission: 'protect',
  recentSignIn: true,
} as const

/** Without the URL of the hook, which may contain a secret. */
const auditedFields = [
  'name',
  'effect',
  'hook.on_error',
  'tools',
  'when',
  'approvers',
  'step_up',
  'prevent_self_approval',
] as const
const refusals = ['key_group_required', 'recent_sign_in_required'] as const

/** Both modes share the policies, so a test key must not change them. No tool of the management MCP server changes one. */
export const policyOperations = declareOperations('Policies', {
  getPolicy: {
    route: 'GET /policy',
    client: 'policy.get',
    summary: 'Retrieve a policy',
    query: PolicyQuery,
    responses: { 200: Policy },
    errors: ['tool_pack_not_found'],
    tool: { name: 'get_policy', access: 'read' },
  },
  setPolicy: {
    route: 'PUT /policy',
    ...tightening,
    client: 'policy.set',
    summary: 'Set a policy',
    description: `Sets the default, and with \`rules\` all rules, in one step. Applies from the next call on. ${LOOSENING} An unrestricted key can make the default and the binding stricter.`,
    body: PolicyWrite,
    responses: { 200: SavedPolicy },
    errors: [
      'tool_pack_not_found',
      'invalid_condition',
      'invalid_webhook_url',
      'policy_rule_name_taken',
      ...refusals,
    ],
    audit: { action: 'policy.updated', values: ['tool_pack_id', 'default', 'approval_binding', 'rules'] },
  },
  listPolicyRules: {
    route: 'GET /policy-rules',
    client: 'policyRules.list',
    summary: 'List the rules of a policy',
    description: 'Oldest first.',
    query: PolicyRulesQuery,
    responses: { 200: PolicyRules },
    errors: ['invalid_cursor', 'tool_pack_not_found'],
    tool: { name: 'list_policy_rules', access: 'read', shortenedUrl: 'hook.url' },
  },
  createPolicyRule: {
    route: 'POST /policy-rules',
    ...tightening,
    client: 'policyRules.create',
    summary: 'Create a policy rule',
    description: `Applies from the next call on. ${LOOSENING} An unrestricted key can add \`deny\` rules, and \`ask\` rules unless the default is \`deny\`; a rule with a hook may allow calls. The secret of a hook is shown only once.`,
    body: PolicyRuleCreate,
    responses: { 201: SavedPolicyRule },
    errors: [
      'tool_pack_not_found',
      'invalid_condition',
      'invalid_webhook_url',
      'policy_rule_name_taken',
      'policy_rule_limit_reached',
      ...refusals,
    ],
    audit: { action: 'policy_rule.created', target: 'response.id', values: auditedFields },
    idempotency: false,
  },
  testPolicyRule: {
    route: 'POST /policy-rules/test',
    // The result tells what recorded arguments contain, so it needs what reading them needs.
    group: 'read',
    permission: 'read',
    client: 'policyRules.test',
    summary: 'Test a policy rule',
    description: `Checks a rule as saving it does, except for the URL of a hook, and applies it to the recorded calls of the last ${policyBounds.testedDays} days in the key’s mode: those that were carried out, and those that a policy denied. Saves nothing, and asks no hook. Conditions on arguments require stored arguments (the organization’s \`capture\`).`,
    body: PolicyRuleTest,
    responses: { 200: PolicyRuleTested },
    errors: ['policy_rule_not_found', 'tool_pack_not_found', 'invalid_request', 'rate_limited'],
    audit: false,
    idempotency: false,
  },
  getPolicyRule: {
    route: 'GET /policy-rules/{id}',
    client: 'policyRules.get',
    summary: 'Retrieve a policy rule',
    responses: { 200: PolicyRule },
    errors: ['policy_rule_not_found'],
  },
  updatePolicyRule: {
    route: 'PATCH /policy-rules/{id}',
    ...tightening,
    client: 'policyRules.update',
    summary: 'Update a policy rule',
    description: `Omitted fields stay unchanged. A new \`effect\` replaces the hook, and a hook the effect; a hook whose URL changes keeps its secret. An unrestricted key can only raise \`effect\` and turn \`step_up\` and \`prevent_self_approval\` on. ${LOOSENING}`,
    body: PolicyRulePatch,
    responses: { 200: SavedPolicyRule },
    errors: [
      'policy_rule_not_found',
      'invalid_condition',
      'invalid_webhook_url',
      'policy_rule_name_taken',
      ...refusals,
    ],
    audit: { action: 'policy_rule.updated', target: 'params.id', values: auditedFields },
  },
  deletePolicyRule: {
    route: 'DELETE /policy-rules/{id}',
    ...loosening,
    client: 'policyRules.remove',
    summary: 'Delete a policy rule',
    responses: { 204: Type.Null() },
    errors: ['policy_rule_not_found'],
    audit: { action: 'policy_rule.deleted', target: 'params.id' },
  },
  rotatePolicyHookSecret: {
    route: 'POST /policy-rules/{id}/rotate-hook-secret',
    ...loosening,
    client: 'policyRules.rotateHookSecret',
    summary: 'Rotate the secret of a hook',
    description: 'Requests have both signatures for 24 hours. The new secret is shown only once.',
    responses: { 200: SavedPolicyRule },
    errors: ['policy_rule_not_found', 'policy_rule_without_hook'],
    audit: { action: 'policy_rule.hook_secret_rotated', target: 'params.id' },
    idempotency: false,
  },
  testPolicyHook: {
    route: 'POST /policy-rules/{id}/test-hook',
    group: ['settings', 'policies'],
    productionKeyOnly: true,
    permission: 'protect',
    client: 'policyRules.testHook',
    summary: 'Send a test request to a hook',
    description: 'Sends a signed request with example data and the `stage` `test`.',
    responses: { 200: PolicyHookTested },
    errors: ['policy_rule_not_found', 'policy_rule_without_hook'],
    audit: false,
    idempotency: false,
  },
})

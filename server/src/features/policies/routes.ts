import type { Policy, PolicyRule, SavedPolicyRule } from '@carabiner/contract'
import { keyMay } from '@carabiner/contract/key-groups'
import { operations } from '@carabiner/contract/operations'
import { hidePath } from '../../core/addresses/hide-path.ts'
import { parsePage, toPage } from '../../core/cursor.ts'
import { Refusal } from '../../core/refusal.ts'
import { isUuid } from '../../core/uuid.ts'
import type { Api } from '../../edge/api.ts'
import { type Principal, principalMay } from '../../edge/principal.ts'
import { serve } from '../../edge/serve.ts'
import type { Database } from '../../platform/database/database.ts'
import type { PolicyHooks } from './hooks/policy-hooks.ts'
import { testHook } from './hooks/test-hook.ts'
import {
  changeRule,
  createRule,
  type ManageDeps,
  requireRule,
  rotateSecretOfRule,
  type SavedRule,
} from './manage-rules.ts'
import { ownerOf } from './policy-owner.ts'
import { type PolicyOwner, policyRuleStore, policyStore, type StoredRule } from './policy-store.ts'
import { setPolicy } from './set-policy.ts'

type Deps = ManageDeps & { policyHooks: PolicyHooks }

export const policyRoutes = (api: Api, deps: Deps): void => {
  const { db } = deps

  serve(api, operations.getPolicy, async request =>
    showPolicy(db, await ownerOf(db, request.principal.organizationId, request.query.tool_pack_id)),
  )

  serve(
    api,
    operations.setPolicy,
    async ({ principal, body }) => {
      const owner = await ownerOf(db, principal.organizationId, body.tool_pack_id)
      const saved = await setPolicy(deps, principal, owner, body)
      const secrets = saved.flatMap(({ rule: { id, name }, hookSecret }) =>
        hookSecret ? [{ policy_rule_id: id, name, secret: hookSecret.reveal() }] : [],
      )
      return { ...(await showPolicy(db, owner)), hook_secrets: secrets }
    },
    {
      before: async ({ principal, body }) => ({
        ...(await showPolicy(db, await ownerOf(db, principal.organizationId, body.tool_pack_id))),
        hook_secrets: [],
      }),
    },
  )

  serve(api, operations.listPolicyRules, async ({ principal, query }) => {
    const owner = await ownerOf(db, principal.organizationId, query.tool_pack_id)
    const { limit, after } = parsePage(query)
    const page = toPage(await policyRuleStore.list(db, owner, { after, limit: limit + 1 }), limit)
    return { ...page, data: page.data.map(rule => showRuleTo(principal, rule)) }
  })

  serve(api, operations.createPolicyRule, async ({ principal, body: { tool_pack_id: packId, ...rule } }) =>
    showSaved(await createRule(deps, principal, await ownerOf(db, principal.organizationId, packId), rule)),
  )

  serve(api, operations.getPolicyRule, async ({ principal, params }) =>
    showRuleTo(principal, await requireRule(db, principal.organizationId, params.id)),
  )

  serve(
    api,
    operations.updatePolicyRule,
    async ({ principal, params, body }) => showSaved(await changeRule(deps, principal, params.id, body)),
    {
      before: async ({ principal, params }) =>
        showSaved({ rule: await requireRule(db, principal.organizationId, params.id), hookSecret: null }),
    },
  )

  serve(api, operations.rotatePolicyHookSecret, async ({ principal, params }) =>
    showSaved(await rotateSecretOfRule(deps, principal.organizationId, params.id)),
  )

  serve(api, operations.testPolicyHook, async ({ principal, params }) =>
    testHook(deps.policyHooks, principal, await requireRule(db, principal.organizationId, params.id)),
  )

  serve(api, operations.deletePolicyRule, async ({ principal, params }) => {
    if (!isUuid(params.id) || !(await policyRuleStore.delete(db, principal.organizationId, params.id)))
      throw new Refusal('policy_rule_not_found')
  })
}

const showPolicy = async (db: Database, owner: PolicyOwner): Promise<Policy> => {
  const { defaultEffect, approvalBinding, rules, updatedAt } = await policyStore.find(db, owner)
  return {
    tool_pack_id: owner.toolPackId,
    default: defaultEffect,
    approval_binding: owner.toolPackId === null ? approvalBinding : null,
    rules,
    updated_at: updatedAt?.toISOString() ?? null,
  }
}

/** Those who cannot change policies see only the origin of the URL, because its path and query are often secret. */
const showRuleTo = (principal: Principal, rule: StoredRule): PolicyRule => {
  const shown = showRule(rule)
  const { actor, keyGroups = null } = principal
  const isShown =
    principalMay(principal, 'protect') || (actor.type === 'api_key' && keyMay(keyGroups, 'policies'))
  return isShown || !shown.hook ? shown : { ...shown, hook: { ...shown.hook, url: hidePath(shown.hook.url) } }
}

const showSaved = ({ rule, hookSecret }: SavedRule): SavedPolicyRule => ({
  ...showRule(rule),
  hook_secret: hookSecret?.reveal() ?? null,
})

const showRule = (rule: StoredRule): PolicyRule => ({
  id: rule.id,
  tool_pack_id: rule.toolPackId,
  name: rule.name,
  effect: rule.effect,
  hook: rule.hook && { url: rule.hook.url, on_error: rule.hook.onError },
  tools: rule.tools,
  when: rule.condition,
  approvers: rule.approvers,
  step_up: rule.stepUp,
  prevent_self_approval: rule.preventsSelfApproval,
  reason: rule.reason,
  made_by: rule.madeBy,
  created_at: rule.createdAt.toISOString(),
  updated_at: rule.updatedAt.toISOString(),
})

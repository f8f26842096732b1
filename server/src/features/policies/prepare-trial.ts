import { DEFAULT_APPROVERS, type PolicyEffect, type PolicyRuleTest, policyBounds } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import { newUuid } from '../../core/uuid.ts'
import type { Database } from '../../platform/database/database.ts'
import { type CheckDeps, effectOrHook, findRuleIssues, type RuleIssue } from './check-rule.ts'
import { readsLabelsOrMetadata } from './conditions/check-condition.ts'
import { ALWAYS } from './conditions/policy.ts'
import { checkedOf, requireRule } from './manage-rules.ts'
import { ownerOf } from './policy-owner.ts'
import { type PolicyOwner, policyRuleStore, policyStore, type StoredRule } from './policy-store.ts'
import type { RuleToTry } from './rule-trial.ts'

export type PreparedTrial = { issues: RuleIssue[]; warnings: string[]; owner: PolicyOwner; toTry: RuleToTry }

/** Checks a rule that is not saved as saving it would, and reads the policy that it would belong to. */
export const prepareTrial = async (
  deps: CheckDeps & { db: Database },
  organizationId: string,
  { id, tool_pack_id: packId, ...given }: PolicyRuleTest,
): Promise<PreparedTrial> => {
  const before = id === undefined ? null : await requireRule(deps.db, organizationId, id)
  const owner = before
    ? { organizationId, toolPackId: before.toolPackId }
    : await ownerOf(deps.db, organizationId, packId)
  const { tools = before?.tools } = given
  const effect = effectOf(before, given)
  if (!tools) throw new Refusal('invalid_request', { param: 'tools', message: 'A new rule needs "tools".' })
  const when = given.when === undefined ? (before?.condition ?? null) : given.when
  const issues = [
    ...(await findNameIssues(deps.db, owner, before, given.name)),
    ...(await findRuleIssues(deps, organizationId, { ...(before && checkedOf(before)), ...given, tools })),
  ]
  const { rules, defaultEffect } = await policyStore.read(deps.db, owner)
  return {
    issues,
    warnings:
      issues.length === 0 && effect === 'allow' && when !== null && readsLabelsOrMetadata(when)
        ? [LABELS_AND_METADATA]
        : [],
    owner,
    toTry: {
      rule: {
        id: before?.id ?? newUuid(),
        name: given.name ?? before?.name ?? '',
        effect,
        tools,
        when: when ?? ALWAYS,
        approvers: DEFAULT_APPROVERS,
      },
      saved: rules.map(toTryable),
      defaultEffect,
    },
  }
}

type ReadRule = Awaited<ReturnType<typeof policyStore.read>>['rules'][number]

const toTryable = ({ id, name, effect, tools, condition, approvers }: ReadRule): RuleToTry['rule'] => ({
  id,
  name,
  effect,
  tools,
  when: condition ?? ALWAYS,
  approvers,
})

const LABELS_AND_METADATA =
  'API keys can set labels of accounts and metadata of users, so this rule allows no more than you trust those keys with.'

/** Null: a hook decides. */
const effectOf = (
  before: StoredRule | null,
  { effect, hook }: Pick<PolicyRuleTest, 'effect' | 'hook'>,
): PolicyEffect | null => {
  if (effect && hook) throw effectOrHook()
  if (effect) return effect
  if (hook) return null
  if (!before) throw effectOrHook()
  return before.effect
}

const findNameIssues = async (
  db: Database,
  owner: PolicyOwner,
  before: StoredRule | null,
  name: string | undefined,
): Promise<RuleIssue[]> => {
  if (!before && (await policyStore.find(db, owner)).rules >= policyBounds.rules)
    return [{ param: 'name', message: new Refusal('policy_rule_limit_reached').message }]
  const named = name === undefined ? null : await policyRuleStore.findByName(db, owner, name)
  return named && named.id !== before?.id
    ? [{ param: 'name', message: new Refusal('policy_rule_name_taken').message }]
    : []
}

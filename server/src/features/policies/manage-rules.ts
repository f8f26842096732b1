import {
  DEFAULT_APPROVERS,
  isStricter,
  type NamedPolicyRule,
  type PolicyEffect,
  type PolicyHookWrite,
  type PolicyMaker,
  type PolicyRulePatch,
  policyBounds,
} from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import type { Secret } from '../../core/secret.ts'
import { isUuid, newUuid } from '../../core/uuid.ts'
import type { Principal } from '../../edge/principal.ts'
import { vetWebhookUrl } from '../../edge/webhook-url.ts'
import type { Database, Transaction } from '../../platform/database/database.ts'
import type { Egress } from '../../platform/egress/egress.ts'
import type { DataKey } from '../../platform/vault/sealing.ts'
import type { Vault } from '../../platform/vault/vault.ts'
import { type CheckDeps, checkRule, effectOrHook } from './check-rule.ts'
import { newHookSecret, rotateHookSecret } from './hooks/hook-secrets.ts'
import { requireMayLoosen } from './may-loosen.ts'
import {
  type ChosenRule,
  decisionOf,
  type PolicyOwner,
  policyRuleStore,
  policyStore,
  type RuleDecision,
  type StoredRule,
} from './policy-store.ts'

export type ManageDeps = CheckDeps & { db: Database; vault: Vault; egress: Egress }
/** `hookSecret`: null if it is not new. */
export type SavedRule = { rule: StoredRule; hookSecret: Secret | null }

const makerOf = ({ actor, keyGroups }: Principal): PolicyMaker => {
  if (actor.type !== 'api_key') return 'person'
  return keyGroups?.includes('policies') ? 'policy_key' : 'key'
}

/** Throws unless a rule has either an effect or a hook, whose URL is vetted. `under`: the path of the rule in the request body. */
export const readDecision = async (
  { egress }: Pick<ManageDeps, 'egress'>,
  { effect, hook }: { effect?: PolicyEffect; hook?: PolicyHookWrite },
  under = '',
): Promise<RuleDecision> => {
  if (effect && !hook) return { effect, hook: null }
  if (hook && !effect) {
    const { url, on_error: onError = 'deny' } = hook
    return { effect: null, hook: { url: await vetWebhookUrl(egress, url, `${under}hook.url`), onError } }
  }
  throw effectOrHook(under)
}

export const chosenOf = (
  principal: Principal,
  {
    name,
    tools,
    when = null,
    approvers = [...DEFAULT_APPROVERS],
    step_up: stepUp = false,
    prevent_self_approval: preventsSelfApproval = false,
    reason = null,
  }: NamedPolicyRule,
  decision: RuleDecision,
): ChosenRule => ({
  name,
  ...decision,
  tools,
  condition: when,
  approvers,
  stepUp,
  preventsSelfApproval,
  reason,
  madeBy: makerOf(principal),
})

/** A new rule that is at least as strict as the default lets no further call run without a person. */
export const createRule = async (
  deps: ManageDeps,
  principal: Principal,
  owner: PolicyOwner,
  given: NamedPolicyRule,
): Promise<SavedRule> => {
  if (given.effect === 'allow' || given.approvers || given.hook) requireMayLoosen(principal)
  const decision = await readDecision(deps, given)
  await checkRule(deps, owner.organizationId, given)
  const rule = chosenOf(principal, given, decision)
  const key = await deps.vault.organizationKey(owner.organizationId)
  return deps.db.transaction(async tx => {
    await policyRuleStore.lockOrganization(tx, owner.organizationId)
    const { rules, defaultEffect } = await policyStore.find(tx, owner)
    if (rule.effect !== null && isStricter(defaultEffect, rule.effect)) requireMayLoosen(principal)
    if (rules >= policyBounds.rules) throw new Refusal('policy_rule_limit_reached')
    return insertRule(tx, key, owner, rule)
  })
}

export const insertRule = async (
  tx: Transaction,
  key: DataKey,
  owner: PolicyOwner,
  rule: ChosenRule,
): Promise<SavedRule> => {
  const id = newUuid()
  const secret = rule.hook ? newHookSecret(key, owner.organizationId, id) : null
  const inserted = await policyRuleStore.insert(tx, owner, id, rule, secret?.sealed ?? null)
  if (!inserted) throw new Refusal('policy_rule_name_taken', { param: 'name' })
  return { rule: inserted, hookSecret: secret?.secret ?? null }
}

/** A hook that replaces an effect gets a secret. */
export const updateRule = async (
  tx: Transaction,
  key: DataKey,
  { organizationId }: PolicyOwner,
  before: StoredRule,
  rule: ChosenRule,
): Promise<SavedRule> => {
  const { id } = before
  const secret = rule.hook && !before.hook ? newHookSecret(key, organizationId, id) : null
  const updated = await policyRuleStore.update(tx, organizationId, id, rule, secret?.sealed ?? null)
  if (!updated) throw new Refusal('policy_rule_not_found')
  return { rule: updated, hookSecret: secret?.secret ?? null }
}

/** Without more rights, only the effect can be raised, and what members must fulfill turned on. */
export const changeRule = async (
  deps: ManageDeps,
  principal: Principal,
  id: string,
  patch: PolicyRulePatch,
): Promise<SavedRule> => {
  const { organizationId } = principal
  if (patch.hook) requireMayLoosen(principal)
  const decision = patch.effect || patch.hook ? await readDecision(deps, patch) : null
  for (;;) {
    const before = await requireRule(deps.db, organizationId, id)
    await checkRule(deps, organizationId, { ...checkedOf(before), ...patch })
    const changed = await changeUnlessChanged(deps, principal, before, { patch, decision })
    if (changed) return changed
  }
}

/** Null: what was checked has changed since. */
const changeUnlessChanged = async (
  deps: ManageDeps,
  principal: Principal,
  before: StoredRule,
  { patch, decision }: { patch: PolicyRulePatch; decision: RuleDecision | null },
): Promise<SavedRule | null> => {
  const { organizationId } = principal
  const { id } = before
  const key = await deps.vault.organizationKey(organizationId)
  return deps.db.transaction(async tx => {
    // Rules of an organization change one after the other, so that two of them cannot take the same name.
    await policyRuleStore.lockOrganization(tx, organizationId)
    const current = await policyRuleStore.lock(tx, organizationId, id)
    if (!current) throw new Refusal('policy_rule_not_found')
    if (!isCheckedAs(current, before)) return null
    if (!onlyTightens(current, patch)) requireMayLoosen(principal)
    const { name = current.name, reason = current.reason } = patch
    const owner = { organizationId, toolPackId: current.toolPackId }
    const named = await policyRuleStore.findByName(tx, owner, name)
    if (named && named.id !== current.id) throw new Refusal('policy_rule_name_taken', { param: 'name' })
    return updateRule(tx, key, owner, current, {
      name,
      ...(decision ?? decisionOf(current)),
      tools: patch.tools ?? current.tools,
      condition: patch.when === undefined ? current.condition : patch.when,
      approvers: patch.approvers ?? current.approvers,
      stepUp: patch.step_up ?? current.stepUp,
      preventsSelfApproval: patch.prevent_self_approval ?? current.preventsSelfApproval,
      reason,
      // Callers see the name and the reason, so their latest author counts as the maker of the rule.
      madeBy: patch.name === undefined && patch.reason === undefined ? current.madeBy : makerOf(principal),
    })
  })
}

export const rotateSecretOfRule = async (
  deps: ManageDeps,
  organizationId: string,
  id: string,
): Promise<SavedRule> => {
  const rule = await requireRule(deps.db, organizationId, id)
  const hookSecret = await rotateHookSecret(deps, organizationId, rule.id)
  if (!hookSecret) throw new Refusal('policy_rule_without_hook')
  return { rule, hookSecret }
}

/** As the API names it. */
export const checkedOf = ({
  tools,
  condition: when,
  approvers,
  stepUp,
  preventsSelfApproval,
}: StoredRule) => ({
  tools,
  when,
  approvers,
  step_up: stepUp,
  prevent_self_approval: preventsSelfApproval,
})

const isCheckedAs = (current: StoredRule, before: StoredRule): boolean =>
  JSON.stringify(checkedOf(current)) === JSON.stringify(checkedOf(before))

const TIGHTENING: readonly string[] = [
  'effect',
  'step_up',
  'prevent_self_approval',
] satisfies (keyof PolicyRulePatch)[]

const onlyTightens = (
  { effect, stepUp, preventsSelfApproval }: StoredRule,
  patch: PolicyRulePatch,
): boolean =>
  Object.keys(patch).every(field => TIGHTENING.includes(field)) &&
  (patch.effect === undefined ||
    patch.effect === effect ||
    (effect !== null && isStricter(patch.effect, effect))) &&
  (!stepUp || patch.step_up !== false) &&
  (!preventsSelfApproval || patch.prevent_self_approval !== false)

export const requireRule = async (db: Database, organizationId: string, id: string): Promise<StoredRule> => {
  const rule = isUuid(id) ? await policyRuleStore.find(db, organizationId, id) : null
  if (!rule) throw new Refusal('policy_rule_not_found')
  return rule
}

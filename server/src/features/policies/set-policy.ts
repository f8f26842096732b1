import { isStricter, type NamedPolicyRule, type PolicyWrite, policyBounds } from '@carabiner/contract'
import { Refusal } from '../../core/refusal.ts'
import type { Principal } from '../../edge/principal.ts'
import type { Transaction } from '../../platform/database/database.ts'
import type { DataKey } from '../../platform/vault/sealing.ts'
import { checkRule } from './check-rule.ts'
import {
  chosenOf,
  insertRule,
  type ManageDeps,
  readDecision,
  type SavedRule,
  updateRule,
} from './manage-rules.ts'
import { requireMayLoosen } from './may-loosen.ts'
import { type ChosenRule, type PolicyOwner, policyRuleStore, policyStore } from './policy-store.ts'

/** Sets the default of a policy, and its binding and rules if they are given; returns the new and changed ones. The organization is locked, so that nothing is decided by old values. */
export const setPolicy = async (
  deps: ManageDeps,
  principal: Principal,
  owner: PolicyOwner,
  { rules, ...settings }: PolicyWrite,
): Promise<SavedRule[]> => {
  if (owner.toolPackId !== null && settings.approval_binding !== undefined)
    throw new Refusal('invalid_request', {
      param: 'approval_binding',
      message:
        'Only the policy of the organization has a binding. It applies to the approvals of all Tool Packs.',
    })
  if (rules) requireMayLoosen(principal)
  const chosen = rules && (await checkRules(deps, principal, owner, rules))
  const key = await deps.vault.organizationKey(owner.organizationId)
  return deps.db.transaction(async tx => {
    await policyRuleStore.lockOrganization(tx, owner.organizationId)
    await saveSettings(tx, principal, owner, settings)
    return chosen ? replaceRules(tx, key, owner, chosen) : []
  })
}

const saveSettings = async (
  tx: Transaction,
  principal: Principal,
  owner: PolicyOwner,
  { default: effect, approval_binding: binding }: Pick<PolicyWrite, 'default' | 'approval_binding'>,
): Promise<void> => {
  const current = await policyStore.find(tx, owner)
  const next = { defaultEffect: effect, approvalBinding: binding ?? current.approvalBinding }
  const loosensDefault = isStricter(current.defaultEffect, next.defaultEffect)
  const loosensBinding = next.approvalBinding === 'link' && current.approvalBinding !== 'link'
  if (loosensDefault || loosensBinding) requireMayLoosen(principal)
  if (next.defaultEffect !== current.defaultEffect || next.approvalBinding !== current.approvalBinding)
    await policyStore.set(tx, owner, next)
}

const checkRules = async (
  deps: ManageDeps,
  principal: Principal,
  { organizationId }: PolicyOwner,
  rules: readonly NamedPolicyRule[],
): Promise<ChosenRule[]> => {
  const names = new Set<string>()
  const chosen: ChosenRule[] = []
  for (const [position, rule] of rules.entries()) {
    const { name } = rule
    const under = `rules.${position}.`
    if (names.has(name)) throw new Refusal('policy_rule_name_taken', { param: `${under}name` })
    names.add(name)
    await checkRule(deps, organizationId, rule, under)
    chosen.push(chosenOf(principal, rule, await readDecision(deps, rule, under)))
  }
  return chosen
}

/** A rule keeps its ID as long as it keeps its name, and its maker as long as nothing about it changes. */
const replaceRules = async (
  tx: Transaction,
  key: DataKey,
  owner: PolicyOwner,
  rules: readonly ChosenRule[],
): Promise<SavedRule[]> => {
  const { organizationId } = owner
  const current = await policyRuleStore.list(tx, owner, { after: null, limit: policyBounds.rules })
  for (const { id, name } of current)
    if (!rules.some(rule => rule.name === name)) await policyRuleStore.delete(tx, organizationId, id)
  const saved: SavedRule[] = []
  for (const rule of rules) {
    const known = current.find(({ name }) => name === rule.name)
    if (!known) saved.push(await insertRule(tx, key, owner, rule))
    else if (!isSame(known, rule)) saved.push(await updateRule(tx, key, owner, known, rule))
  }
  return saved
}

const isSame = (one: ChosenRule, other: ChosenRule): boolean =>
  one.effect === other.effect &&
  one.hook?.url === other.hook?.url &&
  one.hook?.onError === other.hook?.onError &&
  one.condition === other.condition &&
  one.reason === other.reason &&
  one.stepUp === other.stepUp &&
  one.preventsSelfApproval === other.preventsSelfApproval &&
  JSON.stringify(one.approvers) === JSON.stringify(other.approvers) &&
  JSON.stringify(one.tools) === JSON.stringify(other.tools)
